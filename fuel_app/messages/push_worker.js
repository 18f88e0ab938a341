// Shows what a push says, and opens the page that it is about. Keeps nothing, and fetches nothing.
const windowsOf = () => self.clients.matchAll({ type: "window", includeUncontrolled: true });

const showPush = async (data) => {
  let said = {};
  try { said = data.json(); } catch { }  // browsers want something to be shown for every push
  const { title = self.location.hostname, body = "", url = "/", tag = "" } = said;
  const more = { body, tag, renotify: Boolean(tag), icon: "/icons/icon-192.png", data: { url } };
  await self.registration.showNotification(title, more);
  for (const client of await windowsOf()) client.postMessage({ pushed: tag });
};

const openPage = async (address) => {
  const wanted = new URL(address ?? "/", self.location.origin);
  if (wanted.origin !== self.location.origin) return;
  const shown = (await windowsOf()).find(({ url }) => url.split("#")[0] === wanted.href);
  await (shown ? shown.focus() : self.clients.openWindow(wanted.href));
};

self.addEventListener("push", (event) => event.waitUntil(showPush(event.data)));
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(openPage(event.notification.data?.url));
});
