// What the tests know about the running Comporta: its addresses, its tokens, and
// the form of its answers (contract §1 and §5).
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const path = process.env.COMPORTA_READY;
if (!path) {
  throw new Error('COMPORTA_READY must name the ready.json of a running Comporta, such as .comporta/ready.json');
}

/** ready.json: {auth, areas, platform, nats, metrics, tokens} */
export const ready = JSON.parse(readFileSync(path, 'utf8'));

/** The Authorization header of one of ready.json's people. */
export const headerOf = (who) => `Token ${ready.tokens[who]}`;

/** A name that no earlier run used. */
export const fresh = (what) => `peer-${what}-${randomBytes(5).toString('hex')}`;

/** The object of a good answer; its text must say the same. */
export function value(result) {
  assert.ok(!result.isError, `a good answer, not ${result.content?.[0]?.text}`);
  return body(result);
}

/** The problem of a refused call: {error, code, que_paso, que_hacer, reintentable, detalle}. */
export function problem(result) {
  assert.equal(result.isError, true, `a refusal, not ${result.content?.[0]?.text}`);
  const told = JSON.parse(result.content[0].text);
  assert.equal(told.error, true);
  for (const key of ['code', 'que_paso', 'que_hacer']) {
    assert.equal(typeof told[key], 'string', key);
    assert.notEqual(told[key], '', key);
  }
  assert.equal(typeof told.reintentable, 'boolean');
  assert.equal(typeof told.detalle, 'object');
  return told;
}

function body(result) {
  assert.equal(typeof result.structuredContent, 'object', 'structuredContent is there');
  assert.equal(result.content[0].type, 'text');
  assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent, 'the text is the same JSON');
  return result.structuredContent;
}

/**
 * Makes a caller that keeps to the rate limit the way an agent should: told to
 * wait, it waits and repeats. call(name, args) gives a tools/call result.
 */
export function patient(call) {
  return async (name, args = {}) => {
    for (let tries = 0; ; tries++) {
      const result = await call(name, args);
      const told = result.isError ? JSON.parse(result.content[0].text) : undefined;
      if (told?.code !== 'limite_excedido' || tries === 5) {
        return result;
      }
      assert.ok(told.reintentar_en_segundos >= 1, 'a limit says how long to wait');
      await sleep(told.reintentar_en_segundos * 1000);
    }
  };
}

/** Asks ver_operacion until the operation ends; gives every state that was seen. */
export async function follow(call, operacionId, seconds = 60) {
  const seen = [];
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    const state = value(await call('ver_operacion', { operacion_id: operacionId }));
    seen.push(state);
    if (state.estado !== 'en_curso') {
      return seen;
    }
    assert.ok(Date.now() < deadline, `the operation ends within ${seconds} s, but is ${JSON.stringify(state)}`);
    await sleep((state.reintentar_en_segundos ?? 1) * 1000);
  }
}

/** The keys that ver_operacion always answers (contract §6). */
export const operationKeys = [
  'operacion_id', 'herramienta', 'area', 'estado', 'fase', 'progreso', 'creada_en', 'actualizada_en',
  'reintentar_en_segundos', 'aprobar_en', 'resultado', 'error',
].sort();
