// Keeps the technician's page for times without a connection. `KEPT` stands above: the release,
// the page's address and digest, the files that it is made of.
const PREFIX = "technician@", NAME = PREFIX + KEPT.release;

const keepAll = async () => {
  const cache = await caches.open(NAME);
  try {
    const page = await fetch(KEPT.page, { cache: "no-cache" });
    if (!page.ok || page.redirected) throw new Error(`the page answers ${page.status}`);
    // In the middle of a deployment another process may answer.
    if (!page.headers.get("etag")?.includes(KEPT.digest)) throw new Error("another release");
    await cache.addAll(KEPT.files);
    await cache.put(KEPT.page, page);
  } catch (problem) {
    await caches.delete(NAME);  // the release before stays
    throw problem;
  }
  await self.skipWaiting();
};

const takeOver = async () => {
  for (const name of await caches.keys()) {
    if (name.startsWith(PREFIX) && name !== NAME) await caches.delete(name);
  }
  await self.clients.claim();
};

// The kept answer comes first: nothing waits for a bad line, and no release is mixed with another.
const kept = async (request, path) => {
  const cache = await caches.open(NAME), found = await cache.match(path, { ignoreVary: true });
  if (found) return found;
  const answer = await fetch(request);  // the browser has thrown it away
  if (answer.ok && !answer.redirected) await cache.put(path, answer.clone());
  return answer;
};

self.addEventListener("install", (event) => event.waitUntil(keepAll()));
self.addEventListener("activate", (event) => event.waitUntil(takeOver()));
self.addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request, { origin, pathname } = new URL(url);
  if (method !== "GET" || origin !== self.location.origin) return;
  const isOurs = pathname === KEPT.page ? mode === "navigate" : KEPT.files.includes(pathname);
  if (isOurs) event.respondWith(kept(event.request, pathname));
});
