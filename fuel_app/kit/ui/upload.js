// The server checks everything again; what is checked here need not travel first. The answer is
// a text: the result for `onDone` or, in words, what is wrong. A form around it hears of nothing.
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
    const more = address.includes("?") ? "&" : "?";
    sender.open("POST", address + more + "name=" + encodeURIComponent(file.name));
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
