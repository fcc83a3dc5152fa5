/** User actions on a page of plotEmbedding. Each one returns a description of its result, and throws if it is wrong. */

import type { Page } from './chromium.ts';
import type { Scenario, Visit } from './demo-visit.ts';
import { hostile } from './plot-pages.ts';

/** The pages that a scenario needs, and the scenario. */
export interface PlotScenario {
  readonly pages: readonly string[];
  readonly scenario: Scenario;
}

/** Where the ring around the marked point is in the window. */
async function ringOf(page: Page): Promise<[x: number, y: number]> {
  await page.waitForSelector('#axes .marked', { state: 'attached' });
  return page.evaluate(() => {
    const { left, top } = document.querySelector('#axes .marked')!.getBoundingClientRect();
    return [left + 8, top + 8] as [number, number];
  });
}

const ticks = (page: Page): Promise<string> =>
  page.evaluate(() => [...document.querySelectorAll('#axes text')].map((one) => one.textContent).join(' '));

/** Waits until the labels of the axes are others than these. */
async function changed(page: Page, before: string): Promise<string> {
  await page.waitForFunction(
    (old) => [...document.querySelectorAll('#axes text')].map((one) => one.textContent).join(' ') !== old,
    before,
  );
  return ticks(page);
}

/** The number of pixels on the canvas that differ from the background, after the next drawing. */
function inkOf(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        document.querySelector<HTMLButtonElement>('#reset')!.click();
        requestAnimationFrame(() => {
          const canvas = document.querySelector<HTMLCanvasElement>('#points')!;
          const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d')!;
          copy.drawImage(canvas, 0, 0);
          const pixels = new Uint32Array(copy.getImageData(0, 0, canvas.width, canvas.height).data.buffer);
          resolve(pixels.reduce((sum, pixel) => sum + (pixel === pixels[0] ? 0 : 1), 0));
        });
      }),
  );
}

/** Makes WebGL that the processor emulates look like that of a graphics card. */
const pretendCard = `
  const getContext = HTMLCanvasElement.prototype.getContext;
  HTMLCanvasElement.prototype.getContext = function (kind, options) {
    return getContext.call(this, kind, { ...options, failIfMajorPerformanceCaveat: false });
  };
  const getParameter = WebGL2RenderingContext.prototype.getParameter;
  WebGL2RenderingContext.prototype.getParameter = function (name) {
    const value = getParameter.call(this, name);
    return typeof value === 'string' ? value.replace(/swiftshader|llvmpipe|software/gi, 'card') : value;
  };`;

async function isWebGl(page: Page): Promise<boolean> {
  return page.evaluate(() => document.querySelector<HTMLCanvasElement>('#points')!.getContext('webgl2') !== null);
}

const choose = (page: Page, mode: string): Promise<void> => page.click(`#modes label:has([value=${mode}])`);

async function openSmall(visit: Visit, options: object = {}): Promise<Page> {
  const page = await visit.open('small.html', options);
  await page.waitForSelector('#axes text', { state: 'attached' });
  return page;
}

export const plotScenarios: Readonly<Record<string, PlotScenario>> = {
  'point at a row of the picture': {
    pages: ['small.html'],
    scenario: async (visit) => {
      const page = await openSmall(visit);
      await page.fill('#find', 'plant 77');
      const [x, y] = await ringOf(page);
      const pinned = await visit.sees('#tooltip', /^plant 77psi1/);
      await visit.sees('#spoken', /^plant 77, psi1/);
      await page.focus('#points');
      await page.keyboard.press('Escape');
      await page.waitForSelector('#tooltip', { state: 'hidden' });
      await page.mouse.move(x + 40, y + 300);
      await page.mouse.move(x + 1, y + 1);
      const hovered = await visit.sees('#tooltip', /^plant/);
      if (!/labelversicolorpetal length[\d.]/.test(hovered)) throw new Error(hovered);
      await visit.shoot('plot-tooltip');
      await page.keyboard.press('n');
      await visit.sees('#spoken', /^plant \d+, psi1/);
      return pinned;
    },
  },
  'hide a class by the legend': {
    pages: ['small.html'],
    scenario: async (visit) => {
      const page = await openSmall(visit);
      const all = await inkOf(page);
      await page.click('[data-group="1"]');
      const rest = await inkOf(page);
      const pressed = await page.evaluate(() =>
        document.querySelector('[data-group="1"]')!.getAttribute('aria-pressed'),
      );
      await page.click('[data-group="1"]', { modifiers: ['Shift'] });
      const alone = await inkOf(page);
      if (!(rest < 0.75 * all && alone < 0.45 * all && alone > 0) || pressed !== 'false') {
        throw new Error(`${all}, ${rest} and ${alone} pixels; pressed: ${pressed}`);
      }
      await page.selectOption('#color', '1');
      const scale = await visit.sees('#legend', /^0/);
      const shaded = await inkOf(page);
      if (shaded < 0.9 * all) throw new Error(`${shaded} of ${all} pixels by a scale`);
      return `${all} pixels, ${rest} without one class, ${alone} with it alone; scale ${scale}`;
    },
  },
  'zoom into the picture and back': {
    pages: ['small.html'],
    scenario: async (visit) => {
      const page = await openSmall(visit);
      const first = await ticks(page);
      await page.mouse.move(400, 400);
      await page.mouse.wheel(0, -600);
      const zoomed = await changed(page, first);
      await page.mouse.down();
      await page.mouse.move(250, 330, { steps: 4 });
      await page.mouse.up();
      const moved = await changed(page, zoomed);
      await page.mouse.dblclick(420, 420);
      const back = await changed(page, moved);
      await page.focus('#points');
      await page.keyboard.press('+');
      await changed(page, back);
      await page.keyboard.press('0');
      await page.waitForFunction((wanted) => [...document.querySelectorAll('#axes text')].map((one) => one.textContent).join(' ') === wanted, first); // oxfmt-ignore
      if (back !== first) throw new Error(`${first} became ${back}`);
      return `${first}; ${zoomed}; ${moved}; back`;
    },
  },
  'see pairs and rotate the picture in space': {
    pages: ['small.html'],
    scenario: async (visit) => {
      const page = await openSmall(visit);
      await choose(page, 'pairs');
      await page.waitForFunction(() => document.querySelectorAll('#axes .frame').length === 6, null);
      await visit.shoot('plot-pairs');
      await choose(page, 'space');
      await page.waitForFunction(() => document.querySelectorAll('#axes .edge').length === 12, null);
      const edges = (): Promise<string> =>
        page.evaluate(() => document.querySelector('#axes .edge')!.getAttribute('d')!);
      const before = await edges();
      await page.mouse.move(400, 400);
      await page.mouse.down();
      await page.mouse.move(480, 430, { steps: 4 });
      await page.mouse.up();
      await page.waitForFunction((old) => document.querySelector('#axes .edge')!.getAttribute('d') !== old, before);
      await visit.shoot('plot-space');
      return '6 pairs, a cube that rotates';
    },
  },
  'switch the theme of the picture': {
    pages: ['small.html'],
    scenario: async (visit) => {
      await openSmall(visit, { colorScheme: 'dark' });
      return visit.switchThemes();
    },
  },
  'read markup as text': {
    pages: ['hostile.html'],
    scenario: async (visit) => {
      const page = await visit.open('hostile.html');
      await page.waitForSelector('#axes text', { state: 'attached' });
      await visit.shoot('plot-hostile');
      await page.focus('#points');
      await page.keyboard.press('n');
      await visit.sees('#tooltip', /smuggled = true/);
      await page.selectOption('#color', '2');
      await page.hover('#points', { position: { x: 300, y: 200 } });
      const found = await page.evaluate(() => ({
        smuggled: 'smuggled' in globalThis,
        scripts: document.scripts.length,
        images: document.images.length,
        title: document.title,
        heading: document.querySelector('h1')!.textContent,
      }));
      if (found.smuggled || found.scripts !== 2 || found.images > 0) throw new Error(JSON.stringify(found));
      if (found.title !== hostile || found.heading !== hostile) throw new Error(JSON.stringify(found));
      return 'title, classes, ids, columns, diagnostics and warnings are text';
    },
  },
  'obey the content security policy of the picture': {
    pages: ['small.html'],
    scenario: async (visit) => {
      const page = await openSmall(visit);
      const ran = await page.evaluate(async () => {
        const script = document.createElement('script');
        script.textContent = 'globalThis.smuggled = true';
        document.head.append(script);
        document.body.setAttribute('onclick', 'globalThis.smuggled = true');
        document.body.click();
        const image = document.createElement('img');
        image.src = 'https://example.com/x.png';
        document.body.append(image);
        const elsewhere = await fetch('https://example.com/').then(String, () => 'refused');
        return { script: 'smuggled' in globalThis, elsewhere };
      });
      await page.waitForTimeout(50);
      const refusals = visit.problems.splice(0).filter((problem) => /Content Security Policy/.test(problem));
      if (ran.script || ran.elsewhere !== 'refused' || refusals.length < 4) {
        throw new Error(`${JSON.stringify(ran)}, ${refusals.length} refusals`);
      }
      return 'a script, a handler, an image and a request from elsewhere are refused';
    },
  },
  'draw alike with and without a graphics card': {
    pages: ['small.html', 'hostile.html'],
    scenario: async (visit) => {
      const counts: string[] = [];
      const modes = ['plane', 'pairs', 'space'];
      for (const name of ['small.html', 'hostile.html']) {
        const inks: number[][] = [];
        for (const script of ['', pretendCard]) {
          const page = await visit.open(name, {}, script);
          if ((await isWebGl(page)) !== (script !== '')) throw new Error(`WebGL: ${script === ''}`);
          const found: number[] = [];
          for (const mode of modes) {
            await choose(page, mode);
            found.push(await inkOf(page));
            await visit.shoot(`plot-${name}-${mode}-${script === '' ? 'pixels' : 'webgl'}`);
          }
          inks.push(found);
        }
        for (const [m, mode] of modes.entries()) {
          const [pixels, webgl] = inks.map((found) => found[m]);
          counts.push(`${mode} ${pixels} / ${webgl}`);
          if (!(Math.abs(pixels / webgl - 1) < 0.2)) throw new Error(`${name}: ${counts.at(-1)} pixels`);
        }
      }
      return `${counts.join(', ')} pixels`;
    },
  },
  'use the picture on a phone': {
    pages: ['hostile.html'],
    scenario: async (visit) => {
      const page = await visit.open('hostile.html', { viewport: { width: 390, height: 844 }, hasTouch: true });
      await page.waitForSelector('#axes text', { state: 'attached' });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      if (wide > 390) throw new Error(`the page is ${wide} pixels wide`);
      return 'nothing is wider than the screen';
    },
  },
};
