/** Serves the site as published, under its strict policy, and opens it in a browser without a graphics card. */

import { serveSite } from '../../docs/build/serve.ts';
import { buildSite, firstLoad } from '../../docs/build/site.ts';
import { type Browser, launchChromium } from './chromium.ts';
import { type Deed, Pages, Visit } from './demo-visit.ts';

export class Stage {
  readonly #browser: Browser;
  readonly #site: Awaited<ReturnType<typeof serveSite>>;
  readonly #pages: Pages;
  /** Bytes after gzip. */
  readonly firstLoad: number;

  private constructor(browser: Browser, site: Awaited<ReturnType<typeof serveSite>>, bytes: number) {
    this.#browser = browser;
    this.#site = site;
    this.#pages = new Pages(browser, site.url);
    this.firstLoad = bytes;
  }

  /** Returns the reason, as text, if there is no browser. */
  static async open(): Promise<Stage | string> {
    const browser = await launchChromium({ args: ['--enable-unsafe-swiftshader'] });
    if (typeof browser === 'string') return browser;
    const { files, weights } = await buildSite();
    return new Stage(browser, await serveSite(files), firstLoad(weights).gzip);
  }

  get browser(): Browser {
    return this.#browser;
  }

  /** Runs in an empty page, and fails on any console error. Saves screenshots in the folder if there is one. */
  async act(deed: Deed, shots: string | null = null): Promise<string> {
    const visit = new Visit(this.#pages, shots);
    try {
      const verdict = await deed(visit);
      if (visit.problems.length > 0) throw new Error(visit.problems.join('; '));
      return verdict;
    } finally {
      await visit.close();
    }
  }

  async close(): Promise<void> {
    const { server } = this.#site;
    await this.#browser.close();
    server.close();
    server.closeAllConnections();
  }
}
