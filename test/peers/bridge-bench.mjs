// How long comporta-bridge and mcp-remote take from their start to the first answer
// of initialize, and what memory they then have, side by side in one run. Read the
// ratio, not the figures. `make bench` runs it.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { headerOf, ready } from './lib/comporta.mjs';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'bench-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const header = `Authorization:${headerOf('member')}`;
const peers = {
  'comporta-bridge': [path('../../bin/comporta-bridge'), [ready.areas.build, '--header', header]],
  'mcp-remote': [process.execPath, [path('node_modules/mcp-remote/dist/proxy.js'), ready.areas.build, '--allow-http', '--transport', 'http-only', '--header', header]],
};
const rounds = 7;

test('start and memory', async (t) => {
  const seen = {};
  for (let round = 0; round < rounds; round++) {
    for (const name of Object.keys(peers)) {
      (seen[name] ??= []).push(await once(...peers[name]));
    }
  }
  const median = (name, key) => seen[name].map((run) => run[key]).sort((a, b) => a - b)[rounds >> 1];
  for (const name of Object.keys(peers)) {
    t.diagnostic(`${name}: ${median(name, 'ms').toFixed(1)} ms to the first answer, ${median(name, 'mib').toFixed(1)} MiB`);
  }
  for (const key of ['ms', 'mib']) {
    t.diagnostic(`ratio of ${key}: ${(median('mcp-remote', key) / median('comporta-bridge', key)).toFixed(1)}`);
  }
});

/** Starts a bridge, asks it once, and gives {ms, mib}; memory is the most it had. */
async function once(command, args) {
  const env = { PATH: process.env.PATH, HOME: folder, MCP_REMOTE_CONFIG_DIR: folder };
  const begun = performance.now();
  const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'ignore'] });
  const answered = new Promise((resolve) => { createInterface({ input: child.stdout }).once('line', resolve); });
  const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello })}\n`);
  const line = await answered;
  const ms = performance.now() - begun;
  if (!JSON.parse(line).result) throw new Error(line);
  const mib = Number(readFileSync(`/proc/${child.pid}/status`, 'utf8').match(/VmHWM:\s+(\d+)/)[1]) / 1024;
  child.kill('SIGKILL');
  await new Promise((resolve) => { child.once('close', resolve); });
  return { ms, mib };
}
