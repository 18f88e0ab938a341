const fromBase64url = (text) =>
  Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
const toBase64url = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");

const post = (address, body) => fetch(address, {
  method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body || {}),
});

// Older browsers have neither parse...FromJSON nor toJSON.
const passkeyOptions = (options) => {
  const known = (each) => ({ ...each, id: fromBase64url(each.id) });
  const parsed = { ...options, challenge: fromBase64url(options.challenge) };
  if (options.user) parsed.user = { ...options.user, id: fromBase64url(options.user.id) };
  if (options.excludeCredentials) parsed.excludeCredentials = options.excludeCredentials.map(known);
  if (options.allowCredentials) parsed.allowCredentials = options.allowCredentials.map(known);
  return parsed;
};

const passkeyAnswer = (credential) => {
  const response = {};
  for (const part of ["clientDataJSON", "attestationObject", "authenticatorData", "signature",
                      "userHandle"])
    if (credential.response[part]) response[part] = toBase64url(credential.response[part]);
  return { id: credential.id, rawId: toBase64url(credential.rawId), type: credential.type,
           response };
};

const PASSKEY_FAILED = "Passkeys do not work just now. Please try again.";

// Runs one ceremony. Returns null if it worked or was cancelled by its user, else what is wrong.
const passkeyCeremony = async (address, method, more) => {
  if (!window.PublicKeyCredential) return { message: "This browser has no passkeys." };
  try {
    const begun = await post(address + "/options");
    if (!begun.ok) return await begun.json();
    const { challenge, options } = await begun.json();
    const credential = await navigator.credentials[method]({ publicKey: passkeyOptions(options) });
    const answer = passkeyAnswer(credential);
    const ended = await post(address, { ...more, challenge, answer });
    return ended.ok ? { done: true } : await ended.json();
  } catch (error) {
    if (error.name === "NotAllowedError" || error.name === "AbortError") return null;
    if (error.name === "InvalidStateError")
      return { message: "This device has a passkey for your account already." };
    if (error.name === "SecurityError")
      return { message: "Passkeys do not work at this address of the site." };
    return { message: PASSKEY_FAILED };
  }
};

const usePasskey = (address, method, onDone, onProve) => {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const run = async (more) => {
    if (busy) return;
    setBusy(true);
    setProblem("");
    const outcome = await passkeyCeremony(address, method, more);
    setBusy(false);
    if (outcome?.done) onDone();
    else if (outcome?.prove && onProve) onProve();
    else if (outcome) setProblem(outcome.message || PASSKEY_FAILED);
  };
  const alert = jsx("p", { role: "alert",
    className: "mt-2 text-base font-medium text-danger empty:mt-0" }, problem);
  return [run, busy, alert];
};

const PasskeySignIn = ({ address, next, label, buttonClass }) => {
  const [run, busy, alert] = usePasskey(address, "get", () => window.location.assign(next));
  return jsx("div", {},
    jsx("button", { type: "button", className: buttonClass, disabled: busy, "aria-busy": busy,
                    onClick: () => run() }, busy ? "Waiting for your passkey..." : label),
    alert);
};

const PasskeyRegister = ({ address, label, buttonClass, onDone, onProve, children }) => {
  const [run, busy, alert] = usePasskey(address, "create", onDone, onProve);
  const submit = (event) => {
    event.preventDefault();
    run({ name: new FormData(event.currentTarget).get("name") });
  };
  return jsx("form", { onSubmit: submit, noValidate: true },
    children, alert,
    jsx("button", { type: "submit", className: buttonClass, disabled: busy, "aria-busy": busy },
      busy ? "Waiting for your device..." : label));
};
