/** Checks of the page on phones, with reduced motion, in light and dark mode, and under its content security policy. */

import type { Scenario } from './demo-visit.ts';

export const environments: Readonly<Record<string, Scenario>> = {
  'use the page on a phone': async (visit) => {
    const size = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, colorScheme: 'dark' };
    const page = await visit.open('#data=circles&points=600&method=specnet2-full', size);
    await visit.learns([0.3]);
    await visit.shoot('phone');
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    if (wide > 390) throw new Error(`the page is ${wide} pixels wide`);
    await visit.drop({ name: `${'long-name-'.repeat(20)}.csv`, text: '' });
    await visit.sees('#status.bad', /is empty\. A table has a row for each point\.$/);
    await visit.shoot('phone-refused');
    const cut = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.querySelector('#status')!;
      return scrollWidth > clientWidth;
    });
    if (cut) throw new Error('the message is cut off');
    await page.setViewportSize({ width: 844, height: 390 });
    await page.waitForTimeout(300);
    const landscape = await page.evaluate(() => document.documentElement.scrollWidth);
    if (landscape > 844) throw new Error(`the page is ${landscape} pixels wide on its side`);
    return 'nothing is wider than the screen, upright or on its side, and a message can be read to its end';
  },
  'reduce motion': async (visit) => {
    const page = await visit.open('#points=400', { reducedMotion: 'reduce' });
    await visit.sees('#numbers', /f₂/);
    await page.waitForTimeout(300);
    const [name, steps] = [await page.textContent('#run'), await visit.steps()];
    if (name !== 'Train' || steps !== 0) throw new Error(`${steps} steps, and a button that says ${name}`);
    return 'nothing moves until it is asked to';
  },
  'switch the theme': async (visit) => {
    await visit.open('#points=400&method=ritz', { colorScheme: 'dark' });
    return `dark as the system, light, dark, and as the system again: ${await visit.switchThemes()}`;
  },
  'obey the content security policy': async (visit) => {
    const page = await visit.open('#points=400');
    await visit.sees('#numbers', /f₂/);
    const ran = await page.evaluate(async () => {
      const script = document.createElement('script');
      script.textContent = 'globalThis.smuggled = true';
      document.head.append(script);
      const elsewhere = await fetch('https://example.com/').then(String, () => 'refused');
      return { script: 'smuggled' in globalThis, elsewhere };
    });
    const refusals = visit.problems.splice(0).filter((problem) => /Content Security Policy/.test(problem));
    if (ran.script || ran.elsewhere !== 'refused' || refusals.length < 2) throw new Error(JSON.stringify(ran));
    return 'a script from nowhere and a request to elsewhere are refused';
  },
};
