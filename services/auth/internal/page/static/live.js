// Keeps the page of one's agents as it is now, where script runs. Nothing depends on
// it: the page loaded anew shows the same.
'use strict';
(() => {
  const live = document.getElementById('live');
  if (!live || !window.EventSource) return;

  // What the person is at is left alone: a field with the focus, an open question.
  const busy = (part) => part.contains(document.activeElement) || part.querySelector('details[open]');

  const renew = async () => {
    const answer = await fetch(location.pathname, { headers: { Accept: 'text/html' } });
    if (!answer.ok || answer.redirected) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const parts = [...document.querySelectorAll('[data-live]')];
    const names = (all) => all.map((part) => part.id).join();
    if (names(parts) !== names([...fresh.querySelectorAll('[data-live]')])) {
      // An agent came or went. A page that nobody is at is loaded anew.
      if (!document.querySelector('details[open]') && document.activeElement === document.body) location.reload();
      return;
    }
    for (const part of parts) {
      const now = fresh.getElementById(part.id);
      if (part.innerHTML !== now.innerHTML && !busy(part)) part.replaceChildren(...now.childNodes);
    }
    document.title = fresh.title;
  };

  let running = false;
  let again = false;
  const changed = async () => {
    if (running) { again = true; return; }
    running = true;
    try {
      await renew();
    } catch { /* the next event tries again */ } finally {
      running = false;
      if (again) { again = false; changed(); }
    }
  };
  let events;
  const open = () => {
    if (events || document.hidden) return;
    events = new EventSource(live.dataset.events);
    events.addEventListener('change', changed);
  };
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) { events?.close(); events = null; } else { open(); changed(); }
  });
  open();
})();
