// A tiny proxy that adds the Authorization header, for peers that cannot send one.
import http from 'node:http';
import { pipeline } from 'node:stream';

/** Starts a proxy to target on a free loopback port; gives {url, close()}. */
export async function authorized(target, authorization) {
  const to = new URL(target);
  const server = http.createServer((request, response) => {
    const headers = { ...request.headers, authorization };
    // The peer knows the proxy's address only. Its own Host must not reach the
    // door as if it were that of a stranger; any other Host is passed on, since
    // the suite plays the attacker with it.
    if (headers.host === `127.0.0.1:${server.address().port}`) {
      headers.host = to.host;
    }
    const options = { host: to.hostname, port: to.port, path: request.url, method: request.method, headers };
    const onward = http.request(options, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      pipeline(answer, response, () => {});
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    pipeline(request, onward, () => {});
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}${to.pathname}`,
    close: () => new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    }),
  };
}
