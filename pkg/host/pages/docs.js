// Filters the tools by the words in the box. The page is whole without it.
'use strict';
const box = document.querySelector('.find');
const input = box.querySelector('input');
const status = box.querySelector('[role=status]');
const groups = [...document.querySelectorAll('main > section')].map((section) => ({
  section,
  tools: [...section.querySelectorAll('article')].map((article) => ({
    article,
    text: article.textContent.toLowerCase().replaceAll('_', ' '),
  })),
}));
const nav = document.querySelector('nav');

function filter() {
  const words = input.value.toLowerCase().replaceAll('_', ' ').split(/\s+/).filter(Boolean);
  let found = 0;
  for (const { section, tools } of groups) {
    let here = 0;
    for (const { article, text } of tools) {
      article.hidden = !words.every((word) => text.includes(word));
      here += article.hidden ? 0 : 1;
    }
    section.hidden = here === 0;
    found += here;
  }
  nav.hidden = words.length > 0;
  status.textContent = words.length ? (found === 1 ? status.dataset.one : status.dataset.many.replace('#', found)) : '';
}

box.hidden = false;
input.addEventListener('input', filter);
filter();
