// What a page does more where script runs. Nothing depends on it.
'use strict';
(() => {
  const form = document.querySelector('form.scope');
  const line = document.getElementById('summary');
  if (!form || !line) return;

  // The line above the buttons follows the form.
  const tell = () => {
    const told = [];
    const readOnly = form.querySelector('#read_only');
    if (readOnly) told.push(readOnly.checked ? readOnly.dataset.sum : readOnly.dataset.off);
    for (const area of form.querySelectorAll('input[name=area]:checked')) told.push(area.dataset.sum);
    const chosen = [...form.querySelectorAll('.kind')].reduce((sum, kind) => {
      const some = kind.querySelector('input[value=some]:checked');
      return sum + (some ? kind.querySelectorAll('input[type=checkbox]:checked').length : 0);
    }, 0);
    if (chosen) told.push(form.dataset.some.replace('0', chosen));
    const days = form.querySelector('input[name=days]:checked');
    if (days) told.push(days.dataset.sum);
    line.textContent = told.join(' · ');
  };
  if (form.querySelector('#read_only')) form.addEventListener('change', tell);

  // Choosing one resource means "only these".
  form.addEventListener('change', (event) => {
    const kind = event.target.closest('.kind');
    if (kind && event.target.type === 'checkbox') {
      kind.querySelector('input[value=some]').checked = true;
      tell();
    }
  });

  // A kind's list is fetched when it is opened, and put in its place.
  const load = async (kind) => {
    const button = kind.querySelector('button[name=show]');
    const data = new URLSearchParams(new FormData(form));
    data.set('show', button.value);
    const answer = await fetch(form.action, { method: 'POST', body: data });
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const fresh = page.getElementById(kind.id);
    if (fresh) {
      kind.replaceChildren(...fresh.childNodes);
      kind.dataset.loaded = 'yes';
      tell();
    }
  };
  form.addEventListener('toggle', (event) => {
    const kind = event.target;
    if (kind.open && kind.matches('.kind') && !kind.dataset.loaded && !kind.querySelector('input[name^="shown."]')) load(kind);
  }, true);
  form.addEventListener('click', (event) => {
    const button = event.target.closest('button[name=show]');
    if (!button) return;
    event.preventDefault();
    load(button.closest('.kind'));
  });
  form.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.target.type !== 'search') return;
    event.preventDefault();
    load(event.target.closest('.kind'));
  });
})();
