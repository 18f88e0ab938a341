"""Notifications in Chromium: a subscription is played, a push is delivered by the DevTools."""

import json
from typing import Any

from playwright.sync_api import BrowserContext, Page

ENDPOINT = "https://fcm.googleapis.com/fcm/send/a-browser"
# Chromium without Google's service has no subscription to give, and a headless one shows nothing
# and says 'denied'; the rest is the browser's own.
FAKE_SUBSCRIPTION = """
  const { p256dh, auth, endpoint } = KEYS;
  const kept = () => localStorage.getItem("test-subscribed") === "yes";
  const made = {
    endpoint,
    toJSON: () => ({ endpoint, expirationTime: null, keys: { p256dh, auth } }),
    unsubscribe: async () => { localStorage.removeItem("test-subscribed"); return true; },
  };
  PushManager.prototype.subscribe = async function (options) {
    if (!options.userVisibleOnly || options.applicationServerKey.length !== 65) throw new Error();
    localStorage.setItem("test-subscribed", "yes");
    return made;
  };
  PushManager.prototype.getSubscription = async () => kept() ? made : null;
  const allowed = () => localStorage.getItem("test-permission") ?? "default";
  Object.defineProperty(Notification, "permission", { get: allowed });
  Notification.requestPermission = async () => {
    if (!navigator.userActivation.isActive) throw new Error("not at a press");
    if (allowed() === "default") localStorage.setItem("test-permission", "granted");
    return allowed();
  };
"""
# Headless Chromium has no place where notifications are shown.
_STAND_INS = """() => {
  self.shown = [];
  self.opened = [];
  self.registration.showNotification = async (title, more) => {
    self.shown.push({ title, ...more });
  };
  Clients.prototype.openWindow = async (address) => { self.opened.push(address); };
  WindowClient.prototype.focus = async function () { self.opened.push("focus " + this.url); };
}"""
# A synthetic event may not extend its own life: its promise is kept, and waited for.
_CLICK = """async (url) => {
  const notification = { close: () => self.opened.push("closed"), data: { url } };
  const event = new ExtendableEvent("notificationclick");
  let handled;
  Object.defineProperty(event, "notification", { value: notification });
  Object.defineProperty(event, "waitUntil", { value: (promise) => { handled = promise; } });
  self.dispatchEvent(event);
  await handled;
  return self.opened;
}"""


def play_subscriptions(
    context: BrowserContext, keys: dict[str, str], endpoint: str = ENDPOINT
) -> None:
    """Let pages of a context ask for permission, and subscribe with these keys."""
    told = json.dumps({"endpoint": endpoint} | keys)
    context.add_init_script(f"(() => {{ {FAKE_SUBSCRIPTION.replace('KEYS', told)} }})();")


class PushedWorker:
    """The worker of a page's notifications, to which pushes are delivered by the DevTools."""

    def __init__(self, page: Page, script: str) -> None:
        self.page, self.script = page, script
        self._devtools = page.context.new_cdp_session(page)
        self._registrations: list[dict[str, Any]] = []
        self._devtools.on(
            "ServiceWorker.workerRegistrationUpdated",
            lambda said: self._registrations.extend(said["registrations"]),
        )
        self._devtools.send("ServiceWorker.enable")

    @property
    def worker(self) -> Any:
        return next(
            each for each in self.page.context.service_workers if each.url.endswith(self.script)
        )

    def stand_in(self) -> None:
        self.worker.evaluate(_STAND_INS)

    def deliver(self, scope: str, said: str) -> list[dict[str, Any]]:
        """Deliver a push. Return what is shown by then."""
        registration = next(
            each for each in self._registrations if each["scopeURL"].endswith(scope)
        )
        before = self.worker.evaluate("self.shown.length")
        self._devtools.send(
            "ServiceWorker.deliverPushMessage",
            {
                "origin": self.page.evaluate("location.origin"),
                "registrationId": registration["registrationId"],
                "data": said,
            },
        )
        waits = """(before) => new Promise((done) => {
          const look = () => self.shown.length > before ? done(self.shown) : setTimeout(look, 10);
          look();
        })"""
        return self.worker.evaluate(waits, before)

    def click(self, url: str) -> list[str]:
        """Press a notification. Return what was closed, focused and opened."""
        self.worker.evaluate("self.opened = []")
        return self.worker.evaluate(_CLICK, url)
