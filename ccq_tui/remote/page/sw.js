/** Keeps the page's files for a start without a network, and shows pushes. Requests are never kept. */

const CACHE = "ccq-1";
/** What the page's own file names, and what it may be given of the relay's. */
const NAMED = /(?:href|src)="(\/[^"]+)"/g;
const FILE = /^\/$|\.(js|css|svg|png|webmanifest)$/;

self.addEventListener("install", (event) => event.waitUntil(keepAll().then(() => self.skipWaiting())));
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

async function keepAll() {
  const page = await (await fetch("/")).text();
  const named = Array.from(page.matchAll(NAMED), ([, path]) => path);
  await (await caches.open(CACHE)).addAll(["/", "/icon-192.png", "/icon-512.png", ...named]);
}

self.addEventListener("fetch", (event) => {
  const { pathname, origin } = new URL(event.request.url);
  if (event.request.method === "GET" && origin === location.origin && FILE.test(pathname))
    event.respondWith(fresh(event.request, pathname));
});

/** The relay's file, so that page and relay fit together; the kept one without a connection, or behind a proxy without the relay. */
async function fresh(request, pathname) {
  const cache = await caches.open(CACHE);
  const response = await fetch(request).catch(() => null);
  if (response?.ok) await cache.put(pathname, response.clone());
  const isThere = response && response.status < 500;
  return (!isThere && (await cache.match(pathname))) || response || Response.error();
}

const LOOK = { tag: "waits", renotify: true, icon: "/icon-192.png", badge: "/icon-192.png" };

self.addEventListener("push", (event) => {
  event.waitUntil(self.registration.showNotification("A question waits", LOOK));
});

/** The tokens for the relay are the page's. */
self.addEventListener("pushsubscriptionchange", (event) => {
  const renew = (open) =>
    open.length
      ? open.forEach((page) => page.postMessage("renew"))
      : self.registration.showNotification("Open this page to get its notifications again", LOOK);
  event.waitUntil(self.clients.matchAll({ type: "window" }).then(renew));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(
    self.clients.matchAll({ type: "window" }).then(([open]) => (open ? open.focus() : self.clients.openWindow("/"))),
  );
});
