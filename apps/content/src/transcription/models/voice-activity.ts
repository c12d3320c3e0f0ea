/** Samples a second of all sound that is looked at here: 16-bit, one channel. */
export const SAMPLE_RATE = 16_000;

/** A part of a sound, in samples. */
export interface Part {
  readonly from: number;
  readonly to: number;
}

/** 30 ms. */
const frameLength = 480;
const framesPerSecond = SAMPLE_RATE / frameLength;

/** Sound below this level is nothing, in decibels of full scale. */
const silenceLevel = -55;

/** Between loud and quiet in speech lies more than this; a hum or a hiss goes on as it is. */
const leastRange = 6;

/** Pauses longer than this are left out, and the parts around them are recognised apart. */
const maxPauseFrames = Math.round(1.5 * framesPerSecond);

/** Kept before and after what is loud: words begin and end softly. */
const paddingFrames = Math.round(0.4 * framesPerSecond);

/** A part with less of a voice in it than 150 ms is a knock or a rustle. */
const leastVoicedFrames = 5;

/**
 * Where somebody speaks, as far as level and pitch tell: recognisers invent words for silence and noise, so they are not
 * shown any. No part is longer than `longest` samples; it is cut where it is quietest.
 */
export function spokenParts(samples: Int16Array, longest = 120 * SAMPLE_RATE): Part[] {
  const levels: number[] = [];
  const voiced: boolean[] = [];
  for (let start = 0; start + frameLength <= samples.length; start += frameLength) {
    const frame = samples.subarray(start, start + frameLength);
    const level = levelOf(frame);
    levels.push(level);
    voiced.push(level > silenceLevel && hasPitch(frame));
  }
  const sorted = levels.toSorted((one, other) => one - other);
  const [quiet, loud] = [at(sorted, 0.1), at(sorted, 0.95)];
  if (loud < silenceLevel || loud - quiet < leastRange) return [];
  const threshold = Math.max(silenceLevel, Math.min(quiet + 8, loud - 15));
  return activeRuns(levels, threshold)
    .filter(({ from, to }) => voiced.slice(from, to).filter(Boolean).length >= leastVoicedFrames)
    .flatMap((run) => inPieces(run, levels, Math.max(1, Math.floor(longest / frameLength))))
    .map(({ from, to }) => ({ from: from * frameLength, to: Math.min(to * frameLength, samples.length) }));
}

/** Runs of frames above the threshold, padded, and joined over short pauses. */
function activeRuns(levels: readonly number[], threshold: number): Part[] {
  const runs: { from: number; to: number }[] = [];
  for (const [frame, level] of levels.entries()) {
    if (level < threshold) continue;
    const last = runs.at(-1);
    if (last && frame - last.to <= maxPauseFrames) last.to = frame + 1;
    else runs.push({ from: frame, to: frame + 1 });
  }
  return runs.map(({ from, to }) => ({
    from: Math.max(0, from - paddingFrames),
    to: Math.min(levels.length, to + paddingFrames),
  }));
}

function inPieces(run: Part, levels: readonly number[], longest: number): Part[] {
  if (run.to - run.from <= longest) return [run];
  let cut = run.from + longest;
  const earliest = run.from + Math.ceil(longest / 2);
  for (let frame = cut; frame > earliest; frame -= 1) {
    if ((levels[frame] ?? 0) < (levels[cut] ?? 0)) cut = frame;
  }
  return [{ from: run.from, to: cut }, ...inPieces({ from: cut, to: run.to }, levels, longest)];
}

/** Where it is quietest behind that sample, in samples; at its end where all of it is as loud. */
export function quietest(samples: Int16Array, from: number): number {
  let [cut, quiet] = [samples.length, Infinity];
  for (let start = samples.length - frameLength; start >= from; start -= frameLength) {
    const level = levelOf(samples.subarray(start, start + frameLength));
    if (level < quiet) [cut, quiet] = [start + frameLength / 2, level];
  }
  return cut;
}

function levelOf(frame: Int16Array): number {
  let squares = 0;
  for (const sample of frame) squares += sample * sample;
  return 10 * Math.log10(squares / frame.length / 32_768 ** 2 + 1e-10);
}

/** Whether the frame repeats itself 80 to 400 times a second, as vowels do. A quarter of the samples is enough for that. */
function hasPitch(frame: Int16Array): boolean {
  const length = frame.length / 4;
  const coarse = new Float64Array(length);
  for (let sample = 0; sample < length; sample += 1) {
    for (let part = 0; part < 4; part += 1) coarse[sample] = (coarse[sample] ?? 0) + (frame[sample * 4 + part] ?? 0);
  }
  const mean = coarse.reduce((sum, value) => sum + value, 0) / length;
  for (let lag = 10; lag <= 50; lag += 1) {
    let [product, early, late] = [0, 0, 0];
    for (let sample = 0; sample + lag < length; sample += 1) {
      const [one, other] = [(coarse[sample] ?? 0) - mean, (coarse[sample + lag] ?? 0) - mean];
      product += one * other;
      early += one * one;
      late += other * other;
    }
    if (product > 0.7 * Math.sqrt(early * late)) return true;
  }
  return false;
}

const at = (sorted: readonly number[], share: number): number => sorted[Math.floor(sorted.length * share)] ?? -100;
