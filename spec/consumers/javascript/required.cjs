/** A user's CommonJS program. `require` gives the same objects as `import`: there is one copy of each module. */

const { SpectralEmbedding } = require('specnet');
const { exports: paths } = require('specnet/package.json');

const points = Array.from({ length: 60 }, (_, i) => [i / 60 + (i < 30 ? 0 : 0.5), Math.sin(i)]);

async function main() {
  const fitted = await new SpectralEmbedding({ components: 2 }).fit(points);
  const names = Object.keys(paths)
    .filter((path) => typeof paths[path] !== 'string') // not the script of the worker, nor package.json
    .map((path) => path.replace('.', 'specnet'));
  for (const name of names) {
    const required = require(name);
    const imported = await import(name);
    for (const key of Object.keys(imported)) {
      if (required[key] !== imported[key]) throw new Error(`${name}: two copies of ${key}`);
    }
  }
  console.log(`${fitted.embedding.shape.join('×')}, ${names.length} modules`);
}

main();
