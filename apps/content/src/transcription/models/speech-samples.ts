import { SAMPLE_RATE, type Part } from './voice-activity.ts';

/** Of silence before the first word, in samples: models that hear speech from the first moment on lose its beginning. */
export const LEAD = SAMPLE_RATE;

/** The root mean square of speech as models have heard it most: 20 dB below full scale. */
const LEVEL = 0.1;

/** No sample goes beyond; and what is so quiet that it is mostly noise is raised by no more. */
const PEAK = 0.95;
const MAX_GAIN = 30;

/** A part of a sound as a model is shown it: at one level however loud it was recorded, behind a second of silence. */
export function speechSamples(samples: Int16Array, { from, to }: Part): Float32Array {
  const part = samples.subarray(from, to);
  let [squares, peak] = [0, 0];
  for (const sample of part) {
    squares += sample * sample;
    peak = Math.max(peak, Math.abs(sample));
  }
  const level = Math.sqrt(squares / Math.max(1, part.length)) / 32_768;
  const gain = peak === 0 ? 0 : Math.min(LEVEL / level, (PEAK * 32_768) / peak, MAX_GAIN);
  const shown = new Float32Array(LEAD + part.length);
  for (const [at, sample] of part.entries()) shown[LEAD + at] = (gain * sample) / 32_768;
  return shown;
}
