/** A user's CommonJS program that loads the package by dynamic import, for every Node 20. */

async function main() {
  const { SpectralEmbedding } = await import('specnet');
  const points = Array.from({ length: 60 }, (_, i) => [i / 60 + (i < 30 ? 0 : 0.5), Math.sin(i)]);
  const fitted = await new SpectralEmbedding({ components: 2 }).fit(points);
  console.log(fitted.embedding.shape.join('×'));
}

main();
