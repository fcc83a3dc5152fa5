/** A local HTTP server that gives models to a page in a browser and receives its results. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PageCase, PageReport } from './page.ts';

export interface ServedCase {
  readonly facts: PageCase;
  readonly model: Uint8Array;
  readonly points: Uint8Array;
}

export interface Answer {
  readonly report: PageReport;
  readonly results: readonly Float32Array[];
}

/** Milliseconds after which a page without an answer has failed. */
const patience = 120_000;

export class PageServer {
  readonly #server: Server;
  readonly #script: Uint8Array;
  readonly #cases: readonly ServedCase[];
  #headers: Readonly<Record<string, string>> = {};
  #results: Float32Array[] = [];
  #finish: (report: PageReport) => void = () => {};

  private constructor(script: Uint8Array, cases: readonly ServedCase[]) {
    this.#script = script;
    this.#cases = cases;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async open(script: Uint8Array, cases: readonly ServedCase[]): Promise<PageServer> {
    const server = new PageServer(script, cases);
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  /** Resolves with what the next opened page posts. The page is served with these headers. */
  answerTo(headers: Readonly<Record<string, string>>): Promise<Answer> {
    this.#headers = headers;
    this.#results = [];
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('check:browser: the page did not answer.')), patience);
      this.#finish = (report) => {
        clearTimeout(timer);
        resolve({ report, results: this.#results });
      };
    });
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [what, index] = (request.url ?? '/').slice(1).split('/');
    const send = (type: string, body: Uint8Array | string): void => {
      response.writeHead(200, { ...this.#headers, 'content-type': type }).end(body);
    };
    const one = this.#cases[Number(index)];
    if (what === '') send('text/html', '<!doctype html><script type="module" src="page.js"></script>');
    else if (what === 'page.js') send('text/javascript', this.#script);
    else if (what === 'cases') send('application/json', JSON.stringify(this.#cases.map(({ facts }) => facts)));
    else if (what === 'model') send('application/octet-stream', one.model);
    else if (what === 'points') send('application/octet-stream', one.points);
    else if (what === 'result') {
      this.#results[Number(index)] = new Float32Array(Uint8Array.from(await bodyOf(request)).buffer);
      send('text/plain', '');
    } else if (what === 'end') {
      const report = JSON.parse((await bodyOf(request)).toString()) as PageReport;
      send('text/plain', '');
      this.#finish(report);
    } else response.writeHead(404).end();
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
