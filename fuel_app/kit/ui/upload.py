"""A file to choose or to drop, sent by plain HTTP: an event holds no megabytes."""

from typing import Any

import reflex as rx

from fuel_app.kit.ui.button import button_class

# The server checks everything again; what is checked here need not travel first. The answer is
# a text: the result for `onDone` or, in words, what is wrong. A form around it hears of nothing.
_UPLOAD = """
const Upload = ({ id, address, accept, suffix, wrongKind, most, tooLarge, failed, expired,
                  label, hint, onDone, onLost, labelClass, quietClass, ref }) => {
  const [sending, setSending] = useState(null);
  const [problem, setProblem] = useState("");
  const [over, setOver] = useState(false);
  const request = useRef(null);
  const wasSending = useRef(false);
  const busy = sending !== null;
  useEffect(() => {  // the control that has just gone may have had the focus
    if (busy) document.getElementById(id + "-cancel")?.focus();
    else if (wasSending.current) document.getElementById(id)?.focus();
    wasSending.current = busy;
  }, [busy]);
  const send = (files) => {
    if (request.current || !files.length) return;
    const file = files[0];
    if (files.length > 1) return setProblem("Please choose one file.");
    if (!file.name.toLowerCase().endsWith(suffix)) return setProblem(wrongKind);
    if (file.size > most) return setProblem(tooLarge);
    const sender = new XMLHttpRequest();
    const end = (text) => { request.current = null; setSending(null); setProblem(text); };
    const lose = (text) => { end(text); onLost?.(); };
    sender.upload.onprogress = ({ loaded, total }) =>
      setSending({ name: file.name, percent: total ? Math.round(100 * loaded / total) : 0 });
    sender.onload = () => {
      const text = sender.responseText;
      if (sender.status < 300) { end(""); onDone(text); }
      else if (sender.status === 401) lose(expired);
      else end(sender.status < 500 && text ? text : failed);
    };
    sender.onerror = () => lose(failed);
    sender.onabort = () => end("");
    sender.open("POST", address + "?name=" + encodeURIComponent(file.name));
    sender.send(file);
    request.current = sender;
    setProblem("");
    setSending({ name: file.name, percent: 0 });
  };
  const quiet = (event) => event.stopPropagation();
  const drag = (on) => (event) => { event.preventDefault(); setOver(on); };
  const drop = (event) => { drag(false)(event); send(event.dataTransfer.files); };
  const choose = (event) => {
    quiet(event);
    send(Array.from(event.target.files));
    event.target.value = "";  // so that the same file can be chosen again
  };
  return jsx("div", {
      onDragOver: drag(true), onDragLeave: drag(false), onDrop: drop, "data-over": over,
      className: "rounded-card border-2 border-dashed border-[#8FA3AB] bg-sand p-4 text-center "
        + "data-[over=true]:border-gulf data-[over=true]:bg-seafoam",
    },
    busy
      ? jsx("div", {},
          jsx("p", { className: "mb-2 break-words text-base text-ink", role: "status" },
            sending.percent < 100 ? "Uploading " + sending.name : "Checking " + sending.name),
          jsx("progress", { className: "meter", value: sending.percent, max: 100,
                            "aria-label": "Upload" }),
          jsx("button", { id: id + "-cancel", type: "button", className: quietClass,
                          onClick: () => request.current?.abort() }, "Cancel upload"))
      : jsx("div", {},
          jsx("input", { id, ref, type: "file", accept, onChange: choose, onBlur: quiet,
                         className: "peer sr-only",
                         "aria-describedby": id + "-error " + id + "-hint",
                         "aria-invalid": problem ? "true" : "false" }),
          jsx("label", { htmlFor: id, className: labelClass }, label),
          jsx("p", { id: id + "-hint", className: "mt-2 text-sm text-muted" }, hint)),
    jsx("p", { id: id + "-error", role: "alert",
               className: "mt-2 text-base font-medium text-danger empty:mt-0" }, problem));
};
"""


class _Upload(rx.Component):
    tag = "Upload"

    address: rx.Var[str]
    accept: rx.Var[str]
    suffix: rx.Var[str]
    wrong_kind: rx.Var[str]
    most: rx.Var[int]
    too_large: rx.Var[str]
    failed: rx.Var[str]
    expired: rx.Var[str]
    label: rx.Var[str]
    hint: rx.Var[str]
    label_class: rx.Var[str]
    quiet_class: rx.Var[str]
    on_done: rx.EventHandler[rx.event.passthrough_event_spec(str)]
    on_lost: rx.EventHandler[rx.event.no_args_event_spec]

    def add_imports(self) -> rx.ImportDict:
        return {"react": ["useEffect", "useRef", "useState"]}

    def add_custom_code(self) -> list[str]:
        return [_UPLOAD]


def upload(
    label: Any,
    *,
    id: str,
    kind: str = "primary",
    suffix: str = "",
    wrong_kind: str = "",
    expired: str = "",
    **more: Any,
) -> rx.Component:
    """A button, or a place to drop a file, with progress and what is wrong beside it.

    Args:
        suffix: The end of the names that are taken, such as '.csv'; others get `wrong_kind`.
        more: `address` takes the file as a POST's body; `accept`, `most` (bytes), `too_large`,
            `failed`, `hint`; the events `on_done`, with the text of the answer, and `on_lost`,
            where there was none or the session has ended.
    """
    focus = (
        "peer-focus-visible:outline-3 peer-focus-visible:outline-offset-2 "
        "peer-focus-visible:outline-gulf"
    )
    return _Upload.create(
        id=id,
        label=label,
        suffix=suffix,
        wrong_kind=wrong_kind,
        expired=expired,
        label_class=button_class(kind, focus),
        quiet_class=button_class("quiet", "mt-2"),
        **more,
    )
