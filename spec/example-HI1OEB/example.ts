import { loadTraining, saveTraining, SpectralEmbedding } from 'specnet';
import { oneMoon } from 'specnet/datasets';

const { points } = oneMoon({ n: 300, seed: 1 });
const options = { method: 'specnet2', hidden: [32] } as const;

let kept = new Uint8Array();
const onEpoch = ({ state }: { state: () => Parameters<typeof saveTraining>[0] }) => void (kept = saveTraining(state()));
await new SpectralEmbedding({ ...options, training: { epochs: 2, onEpoch } }).fit(points);

const rest = await new SpectralEmbedding({ ...options, training: { epochs: 4, from: loadTraining(kept) } }).fit(points);
const whole = await new SpectralEmbedding({ ...options, training: { epochs: 4 } }).fit(points);
console.log(rest.eigenvalues.join() === whole.eigenvalues.join()); // true
