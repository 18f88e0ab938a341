// Notifications of route changes on this phone, turned on and off at a press. The worker says when
// one has come: then the day is asked for at once.
const followNotices = () => {
  const button = document.getElementById("notify"), line = document.getElementById("notices");
  const device = pushDevice(AT.devices, AT.worker, AT.page);
  let state = "", isAsked = false;
  const showNotices = (next, problem = "") => {
    state = next;
    const isPossible = ["on", "off"].includes(state), isSaid = ["on", "blocked", "home"].includes(state);
    line.textContent = problem || (isSaid ? NOTICES["is_" + state] : "");
    line.hidden = !line.textContent;
    button.textContent = isPossible ? NOTICES["turn_" + (state === "on" ? "off" : "on")] : "";
    button.hidden = !isPossible;
  };
  button.onclick = async () => {
    if (button.ariaDisabled === "true") return;
    button.ariaDisabled = "true";
    try { showNotices(await (state === "on" ? device.turnOff() : device.turnOn())); }
    catch (problem) { showNotices(state, problem.said || NOTICES.failed); }
    button.ariaDisabled = "false";
  };
  navigator.serviceWorker.addEventListener("message", ({ data }) => data.pushed && keep.refresh());
  return ({ ready, line: connection }) => {  // once it is known whose phone it is
    if (isAsked || !ready || connection !== "up") return;
    isAsked = true;
    device.state().then(showNotices, () => { isAsked = false; });
  };
};
