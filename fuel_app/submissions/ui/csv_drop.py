"""A CSV file to choose or to drop, sent by itself: an event holds no twenty megabytes."""

from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.kit.ui.button import button_class
from fuel_app.submissions.rules.csv_import import BYTES_MAX, NOT_CSV, FileTooLarge
from fuel_app.submissions.state.imports import NOT_SENT

_EXPIRED = "Your session has ended. Please sign in and choose the file again."

# The server looks at everything again; what is checked here need not travel first. An upload goes
# on when the modal is closed. `onSent` takes the import's id, or nothing where there is none:
# that event is the staff's alone, so that whoever is signed out is asked for the password.
_CSV_DROP = """
const CsvDrop = ({ id, address, most, notCsv, tooLarge, failed, expired, onSent,
                   labelClass, quietClass, ref }) => {
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
    if (!file.name.toLowerCase().endsWith(".csv")) return setProblem(notCsv);
    if (file.size > most) return setProblem(tooLarge);
    const sender = new XMLHttpRequest();
    const end = (text) => { request.current = null; setSending(null); setProblem(text); };
    sender.upload.onprogress = ({ loaded, total }) =>
      setSending({ name: file.name, percent: total ? Math.round(100 * loaded / total) : 0 });
    sender.onload = () => {
      const text = sender.responseText;
      if (sender.status === 202) { end(""); onSent(text); }
      else if (sender.status === 401) { end(expired); onSent(""); }
      else end(sender.status < 500 && text ? text : failed);
    };
    sender.onerror = () => { end(failed); onSent(""); };
    sender.onabort = () => end("");
    sender.open("POST", address + "?name=" + encodeURIComponent(file.name));
    sender.send(file);
    request.current = sender;
    setProblem("");
    setSending({ name: file.name, percent: 0 });
  };
  const drag = (on) => (event) => { event.preventDefault(); setOver(on); };
  const drop = (event) => { drag(false)(event); send(event.dataTransfer.files); };
  const choose = (event) => { send(Array.from(event.target.files)); event.target.value = ""; };
  return jsx("div", {
      onDragOver: drag(true), onDragLeave: drag(false), onDrop: drop, "data-over": over,
      className: "rounded-card border-2 border-dashed border-[#8FA3AB] bg-sand p-5 text-center "
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
          jsx("input", { id, ref, type: "file", accept: ".csv,text/csv", onChange: choose,
                         className: "peer sr-only",
                         "aria-describedby": id + "-error " + id + "-hint",
                         "aria-invalid": problem ? "true" : "false" }),
          jsx("label", { htmlFor: id, className: labelClass }, "Choose a CSV file"),
          jsx("p", { id: id + "-hint", className: "mt-2 text-sm text-muted" },
            "or drop it here. Up to 20 MB and 200,000 rows.")),
    jsx("p", { id: id + "-error", role: "alert",
               className: "mt-2 text-base font-medium text-danger empty:mt-0" }, problem));
};
"""


class _CsvDrop(rx.Component):
    tag = "CsvDrop"

    address: rx.Var[str]
    most: rx.Var[int]
    not_csv: rx.Var[str]
    too_large: rx.Var[str]
    failed: rx.Var[str]
    expired: rx.Var[str]
    label_class: rx.Var[str]
    quiet_class: rx.Var[str]
    on_sent: rx.EventHandler[rx.event.passthrough_event_spec(str)]

    def add_imports(self) -> rx.ImportDict:
        return {"react": ["useEffect", "useRef", "useState"]}

    def add_custom_code(self) -> list[str]:
        return [_CSV_DROP]


def csv_drop(*, on_sent: Any) -> rx.Component:
    return _CsvDrop.create(
        id="csv-file",
        address=routes.LEAD_IMPORTS,
        most=BYTES_MAX,
        not_csv=NOT_CSV,
        too_large=str(FileTooLarge()),
        failed=NOT_SENT,
        expired=_EXPIRED,
        label_class=button_class(
            "primary",
            "peer-focus-visible:outline-3 peer-focus-visible:outline-offset-2 "
            "peer-focus-visible:outline-gulf",
        ),
        quiet_class=button_class("quiet", "mt-2"),
        on_sent=on_sent,
    )
