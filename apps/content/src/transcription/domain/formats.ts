import type { SpokenSegment } from './speech.ts';
import type { Transcription } from './transcription.ts';

export type TranscriptionFormat = 'text' | 'srt' | 'vtt' | 'verbose_json';

export const mediaTypes: Readonly<Record<TranscriptionFormat, string>> = {
  text: 'text/plain; charset=utf-8',
  srt: 'application/x-subrip; charset=utf-8',
  vtt: 'text/vtt; charset=utf-8',
  verbose_json: 'application/json',
};

export const endings: Readonly<Record<TranscriptionFormat, string>> = {
  text: 'txt',
  srt: 'srt',
  vtt: 'vtt',
  verbose_json: 'json',
};

type Spoken = Pick<Transcription, 'text' | 'segments' | 'seconds' | 'language'>;

/** What was said in this format. */
export function formatted(spoken: Spoken, format: TranscriptionFormat): string {
  switch (format) {
    case 'text':
      return spoken.text === '' ? '' : `${spoken.text}\n`;
    case 'srt':
      return cuesOf(spoken)
        .map(({ start, end, text }, index) => `${index + 1}\n${clock(start, ',')} --> ${clock(end, ',')}\n${text}\n\n`)
        .join('');
    case 'vtt':
      return cuesOf(spoken).reduce(
        (file, { start, end, text }) => `${file}${clock(start, '.')} --> ${clock(end, '.')}\n${escaped(text)}\n\n`,
        'WEBVTT\n\n',
      );
    case 'verbose_json':
      return JSON.stringify(inDetail(spoken));
  }
}

/** As OpenAI's interface has it. */
export const inDetail = ({ text, language, seconds, segments }: Spoken) => ({
  task: 'transcribe',
  language: language ?? '',
  duration: seconds,
  text,
  segments: segments.map((segment, id) => ({ id, start: segment.start, end: segment.end, text: segment.text })),
});

/** No player shows a line for less than that, in milliseconds. */
const MIN_CUE_MS = 1;

interface Cue {
  /** In milliseconds from the beginning. */
  readonly start: number;
  readonly end: number;
  /** Of one line: an empty one would end it. */
  readonly text: string;
}

/** All of the text at once where the recogniser tells no times. */
function cuesOf({ segments, text, seconds }: Spoken): readonly Cue[] {
  const spoken: readonly SpokenSegment[] = segments.length > 0 ? segments : [{ start: 0, end: seconds, text }];
  return spoken.flatMap((segment) => {
    const line = segment.text.replaceAll(/\s+/g, ' ').trim();
    const start = Math.max(0, Math.round(segment.start * 1000));
    return line === ''
      ? []
      : [{ start, end: Math.max(start + MIN_CUE_MS, Math.round(segment.end * 1000)), text: line }];
  });
}

function clock(milliseconds: number, point: ',' | '.'): string {
  const [hours, minutes, seconds] = [
    Math.floor(milliseconds / 3_600_000),
    Math.floor(milliseconds / 60_000) % 60,
    Math.floor(milliseconds / 1000) % 60,
  ].map((part) => String(part).padStart(2, '0'));
  return `${hours}:${minutes}:${seconds}${point}${String(milliseconds % 1000).padStart(3, '0')}`;
}

/** What WebVTT would take for a tag, an entity or times. */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
