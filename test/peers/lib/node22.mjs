// Some peers need a newer Node than the one that runs the tests; the package
// node@22 brings it.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const binary = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url));
const module = (path) => fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url));

/** Runs a program of node_modules; gives {code, out, err} and never throws for a code. */
export function run(program, args, { env = {}, seconds = 60 } = {}) {
  return new Promise((resolve, reject) => {
    const options = { env: { ...process.env, ...env }, timeout: seconds * 1000, maxBuffer: 64 << 20 };
    const child = execFile(binary, [module(program), ...args], options, (error, out, err) => {
      if (error && typeof error.code !== 'number') {
        reject(new Error(`${program} ${args.join(' ')}: ${error.message}\n${out}${err}`));
        return;
      }
      resolve({ code: error?.code ?? 0, out, err });
    });
    child.stdin?.end();
  });
}
