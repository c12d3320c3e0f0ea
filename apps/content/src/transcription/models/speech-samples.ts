import { SAMPLE_RATE, type Part } from './voice-activity.ts';

/** Of silence before the first word, in samples: models that hear speech from the first moment on lose its beginning. */
export const LEADING_SILENCE_SAMPLES = SAMPLE_RATE;

/** What is longer is heard in pieces that overlap, which are put together worse where the first one begins with silence. */
const HEARD_AT_ONCE = 30 * SAMPLE_RATE;

/** The root mean square of speech as models have heard it most: 20 dB below full scale. */
const LEVEL = 0.1;

/** No sample goes beyond; and what is so quiet that it is mostly noise is raised by no more. */
const PEAK = 0.95;
const MAX_GAIN = 30;

/** A part of a sound as a model is shown it: at one level however loud it was recorded, behind a second of silence if it is heard at once. */
export function speechSamples(
  samples: Int16Array,
  { from, to }: Part,
): { readonly shown: Float32Array; readonly lead: number } {
  const part = samples.subarray(from, to);
  let [squares, peak] = [0, 0];
  for (const sample of part) {
    squares += sample * sample;
    peak = Math.max(peak, Math.abs(sample));
  }
  const level = Math.sqrt(squares / Math.max(1, part.length)) / 32_768;
  const gain = peak === 0 ? 0 : Math.min(LEVEL / level, (PEAK * 32_768) / peak, MAX_GAIN);
  const lead = LEADING_SILENCE_SAMPLES + part.length <= HEARD_AT_ONCE ? LEADING_SILENCE_SAMPLES : 0;
  const shown = new Float32Array(lead + part.length);
  for (const [at, sample] of part.entries()) shown[lead + at] = (gain * sample) / 32_768;
  return { shown, lead };
}
