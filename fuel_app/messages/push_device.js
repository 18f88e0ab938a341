// Notifications on this device: whether they are possible, allowed and on; turning them on and off.
// `worker` shows them, for `scope`.
const pushDevice = (address, worker, scope) => {
  const OFF = "off", ON = "on", BLOCKED = "blocked", HOME = "home", NO_WAY = "unsupported", NONE = "none";
  const isApple = /iPhone|iPad|iPod/.test(navigator.userAgent)
    || navigator.platform === "MacIntel" && navigator.maxTouchPoints > 1;
  const isInstalled = matchMedia("(display-mode: standalone)").matches || navigator.standalone;
  const isPossible = isSecureContext && "serviceWorker" in navigator && "PushManager" in window
    && "Notification" in window;
  const ask = async (method, body) => {
    const options = { method, redirect: "error", headers: { "Content-Type": "application/json" } };
    const answer = await fetch(address, body ? { ...options, body: JSON.stringify(body) } : options);
    if (!answer.ok) throw Object.assign(new Error(answer.status), { said: await answer.text() });
    return answer;
  };
  const bytes = (text) => Uint8Array.from(
    atob(text.replace(/-/g, "+").replace(/_/g, "/")), (character) => character.charCodeAt(0));
  const container = navigator.serviceWorker;
  const subscribed = async () => {
    const registration = await container.getRegistration(scope);
    return registration && registration.pushManager.getSubscription();
  };
  const active = async () => {
    const registration = await container.register(worker, { scope });
    const { installing: coming } = registration;
    while (coming && !registration.active && coming.state !== "redundant") {  // it takes a moment
      await new Promise((done) => coming.addEventListener("statechange", done, { once: true }));
    }
    return registration;
  };
  const state = async () => {
    const { key, endpoints } = await (await ask("GET")).json();
    if (!key) return NONE;
    if (!isPossible) return isApple && !isInstalled ? HOME : NO_WAY;
    if (Notification.permission === "denied") return BLOCKED;
    const here = await subscribed();
    return here && endpoints.includes(here.endpoint) ? ON : OFF;
  };
  const turnOn = async () => {
    if (await Notification.requestPermission() !== "granted") {
      return Notification.permission === "denied" ? BLOCKED : OFF;
    }
    const { key } = await (await ask("GET")).json(), { pushManager } = await active();
    const options = { userVisibleOnly: true, applicationServerKey: bytes(key) };
    const made = await pushManager.subscribe(options).catch(async (problem) => {
      const former = await pushManager.getSubscription();  // made with another key
      if (problem.name !== "InvalidStateError" || !former) throw problem;
      await former.unsubscribe();
      return pushManager.subscribe(options);
    });
    await ask("POST", made.toJSON());
    return ON;
  };
  const turnOff = async () => {
    const here = await subscribed();
    if (here) await ask("DELETE", { endpoint: here.endpoint });
    await here?.unsubscribe();
    return OFF;
  };
  return { state, turnOn, turnOff };
};
