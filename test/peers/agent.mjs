// Package agent against servers that nobody here wrote: its Go tests named
// TestPeer, with the servers of node_modules.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));

test('server-everything (stdio, SSE, streamable HTTP) and server-filesystem', async (t) => {
  const env = { ...process.env, COMPORTA_PEERS: path('node_modules') };
  const args = ['test', '-count=1', '-timeout', '5m', '-run', '^TestPeer', '-v', './pkg/agent'];
  const { code, out } = await new Promise((resolve) => {
    execFile('go', args, { cwd: path('../..'), env, maxBuffer: 64 << 20 }, (error, stdout, stderr) => {
      resolve({ code: error?.code ?? 0, out: stdout + stderr });
    });
  });
  assert.equal(code, 0, out);
  assert.doesNotMatch(out, /--- SKIP/);
  for (const [line] of out.matchAll(/^\s*--- PASS.*$/gm)) t.diagnostic(line.trim());
});
