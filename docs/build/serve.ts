/** `npm run demo`: builds the site, serves it from memory with a strict content security policy, and prints the address. */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { BuiltFile } from './bundle.ts';
import { strictPolicy } from './policy.ts';
import { buildSite, firstLoad } from './site.ts';

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  webp: 'image/webp',
  png: 'image/png',
  bin: 'application/octet-stream',
};

/** Listens on `port`. Default: any free port. */
export async function serveSite(files: readonly BuiltFile[], port = 0): Promise<{ server: Server; url: string }> {
  const byName = new Map(files.map(({ name, bytes }) => [name, bytes]));
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').replace(/[?#].*/, '').slice(1); // no file name needs escaping
    const name = path === '' || path.endsWith('/') ? `${path}index.html` : path;
    const bytes = byName.get(name);
    const type = types[name.replace(/^.*\./, '')];
    if (!bytes || !type) return void response.writeHead(404, { 'content-type': 'text/plain' }).end('Not here.');
    response
      .writeHead(200, {
        'content-type': type,
        'content-security-policy': `${strictPolicy}; frame-ancestors 'none'`,
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-cache',
      })
      .end(bytes);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

async function main(): Promise<void> {
  const { files, weights } = await buildSite();
  const { url } = await serveSite(files, Number(process.env.PORT ?? 0));
  console.log(`${url}\n\n${firstLoad(weights).gzip} bytes at first load, compressed. Ctrl+C ends it.`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
