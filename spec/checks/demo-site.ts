/** Serves the site as published, under its strict policy, and opens it in a browser without a graphics card. */

import { serveSite } from '../../docs/build/serve.ts';
import { buildSite, firstLoad } from '../../docs/build/site.ts';
import { type Browser, launchChromium } from './chromium.ts';
import { Pages, type Scenario } from './demo-visit.ts';

export class DemoSite {
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
  static async open(): Promise<DemoSite | string> {
    const browser = await launchChromium({ args: ['--enable-unsafe-swiftshader'] });
    if (typeof browser === 'string') return browser;
    const { files, weights } = await buildSite();
    return new DemoSite(browser, await serveSite(files), firstLoad(weights).gzip);
  }

  get browser(): Browser {
    return this.#browser;
  }

  /** Runs in an empty page, and fails on any console error. Saves screenshots in the folder if there is one. */
  async run(scenario: Scenario, shots: string | null = null): Promise<string> {
    return this.#pages.run(scenario, shots);
  }

  /** Runs in another browser, which has WebGPU by software: it takes longer to start. */
  async runWithWebGpu(scenario: Scenario, shots: string | null = null): Promise<string> {
    const args = ['--enable-unsafe-swiftshader', '--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader'];
    const browser = await launchChromium({ args });
    if (typeof browser === 'string') throw new Error(browser);
    try {
      return await new Pages(browser, this.#site.url).run(scenario, shots);
    } finally {
      await browser.close();
    }
  }

  async close(): Promise<void> {
    const { server } = this.#site;
    await this.#browser.close();
    server.close();
    server.closeAllConnections();
  }
}
