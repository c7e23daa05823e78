// The user's manual: every command of its console blocks is run, page by page in
// one shell, and must answer what the page says; … stands for anything on the line.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { ready } from './lib/comporta.mjs';

const manual = fileURLToPath(new URL('../../services/docs/manual', import.meta.url));
const bin = fileURLToPath(new URL('../../bin', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'manual-'));
mkdirSync(join(folder, '.comporta'));
copyFileSync(process.env.COMPORTA_READY, join(folder, '.comporta', 'ready.json'));
after(() => rmSync(folder, { recursive: true, force: true }));

// The pages name the ports of `make run`; this Comporta may have others.
const base = Number(new URL(ready.areas.build).port) - 2;
const here = (text) => text.replace(/127\.0\.0\.1:81(\d\d)/g, (_, n) => `127.0.0.1:${base + Number(n)}`);
const there = (text) => text.replace(/127\.0\.0\.1:(\d{4,5})/g, (whole, port) => (
  Number(port) >= base && Number(port) < base + 20 ? `127.0.0.1:${8100 + Number(port) - base}` : whole));

const read = (language, page) => readFileSync(join(manual, language, page), 'utf8');

/** The commands of a page with what each must answer. */
function commands(text) {
  const all = [];
  for (const [, block] of text.matchAll(/^```console\n(.*?)^```$/gms)) {
    for (const line of block.trimEnd().split('\n')) {
      if (line.startsWith('$ ')) all.push({ command: line.slice(2), answer: [] });
      else all.at(-1).answer.push(line);
    }
  }
  return all;
}

const pattern = (line) => new RegExp(`^${line.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*')}$`);

const pages = readdirSync(join(manual, 'en'));

test('both languages have the same pages with the same commands and answers', () => {
  assert.deepEqual(readdirSync(join(manual, 'pt-BR')), pages);
  for (const page of pages) {
    assert.deepEqual(commands(read('pt-BR', page)), commands(read('en', page)), page);
  }
});

describe('the manual', () => {
  for (const page of pages) {
    const steps = commands(read('en', page));
    if (steps.length === 0) continue;
    test(page, async () => {
      const answers = await shell(steps.map(({ command }) => here(command)));
      steps.forEach(({ command, answer }, i) => {
        const said = there(answers[i]).trimEnd().split('\n').filter((line) => line !== '' || answer.length > 0);
        assert.equal(said.length, answer.length, `$ ${command}\n${answers[i]}`);
        answer.forEach((line, n) => assert.match(said[n], pattern(line), `$ ${command}`));
      });
    });
  }
});

/** Runs commands in one shell and gives what each wrote. */
async function shell(lines) {
  const mark = '@@ the end of a command @@';
  const script = lines.map((line) => `${line}\nsleep 0.3; echo "${mark}"`).join('\n'); // within the limit of calls
  const env = { PATH: `${bin}:${process.env.PATH}`, HOME: folder, COMPORTA_TOKEN: ready.tokens.member };
  const child = spawn('bash', ['-c', `exec 2>&1\n${script}`], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.on('data', (data) => { out += data; });
  await new Promise((resolve) => { child.on('close', resolve); });
  return out.split(`${mark}\n`).slice(0, -1);
}
