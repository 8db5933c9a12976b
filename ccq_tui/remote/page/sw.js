/** Keeps the page's files for a start without a network, and shows pushes. Requests are never kept. */

const CACHE = "ccq-1";
const SHELL = [
  "/",
  "/app.js",
  "/details.js",
  "/dom.js",
  "/draft.js",
  "/feed.js",
  "/list_view.js",
  "/markdown.js",
  "/pair_view.js",
  "/pairing.js",
  "/push.js",
  "/question_form.js",
  "/records.js",
  "/relay.js",
  "/request_view.js",
  "/seal.js",
  "/settings_view.js",
  "/storage.js",
  "/text.js",
  "/style.css",
  "/manifest.webmanifest",
  "/icon.svg",
  "/icon-180.png",
  "/icon-192.png",
  "/icon-512.png",
];

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      .then((cache) => cache.addAll(SHELL))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => {
  event.waitUntil(self.clients.claim());
});

self.addEventListener("fetch", (event) => {
  const { pathname, origin } = new URL(event.request.url);
  const isShell = event.request.method === "GET" && origin === location.origin && SHELL.includes(pathname);
  if (isShell) event.respondWith(fresh(event.request, pathname));
});

/** The relay's file, so that page and relay fit together; the kept one without a connection. */
async function fresh(request, pathname) {
  const cache = await caches.open(CACHE);
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(pathname, response.clone());
    return response;
  } catch (error) {
    const kept = await cache.match(pathname);
    if (kept) return kept;
    throw error;
  }
}

self.addEventListener("push", (event) => {
  const options = { tag: "waits", renotify: true, icon: "/icon-192.png", badge: "/icon-192.png" };
  event.waitUntil(self.registration.showNotification("A question waits", options));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(
    self.clients.matchAll({ type: "window" }).then(([open]) => (open ? open.focus() : self.clients.openWindow("/"))),
  );
});
