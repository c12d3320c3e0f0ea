import { describe, expect, it } from '@jest/globals';
import { formatted } from './formats.ts';

const spoken = {
  text: 'Good morning. Is 3 < 4 & so on?',
  seconds: 3725.5,
  language: 'en',
  segments: [
    { start: 0, end: 1.25, text: ' Good\n\nmorning.' },
    { start: 3661.0004, end: 3661, text: 'Is 3 < 4 & so --> on?' },
    { start: 3700, end: 3701, text: ' ' },
  ],
};

describe('what was said in a recording', () => {
  it('comes as a text, as it was corrected', () => {
    expect(formatted(spoken, 'text')).toBe('Good morning. Is 3 < 4 & so on?\n');
    expect(formatted({ ...spoken, text: '' }, 'text')).toBe('');
  });

  it('comes as subtitles whose lines are numbered, one line each, none without an end after its beginning', () => {
    expect(formatted(spoken, 'srt')).toBe(
      '1\n00:00:00,000 --> 00:00:01,250\nGood morning.\n\n2\n01:01:01,000 --> 01:01:01,001\nIs 3 < 4 & so --> on?\n\n',
    );
    expect(formatted(spoken, 'vtt')).toBe(
      'WEBVTT\n\n00:00:00.000 --> 00:00:01.250\nGood morning.\n\n' +
        '01:01:01.000 --> 01:01:01.001\nIs 3 &lt; 4 &amp; so --&gt; on?\n\n',
    );
  });

  it('comes as one subtitle where no times are known, and as none where nobody speaks', () => {
    const untimed = { ...spoken, segments: [] };
    expect(formatted(untimed, 'srt')).toBe('1\n00:00:00,000 --> 01:02:05,500\nGood morning. Is 3 < 4 & so on?\n\n');
    expect(formatted({ ...untimed, text: '' }, 'srt')).toBe('');
    expect(formatted({ ...untimed, text: '' }, 'vtt')).toBe('WEBVTT\n\n');
  });

  it('comes with its segments as JSON', () => {
    const { segments, ...told } = JSON.parse(formatted(spoken, 'verbose_json')) as { segments: object[] };
    expect(told).toEqual({ task: 'transcribe', language: 'en', duration: 3725.5, text: spoken.text });
    expect(segments[2]).toEqual({ id: 2, start: 3700, end: 3701, text: ' ' });
  });
});
