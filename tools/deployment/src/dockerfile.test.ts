import { describe, expect, it } from '@jest/globals';
import { copiedFromContext, lastStage, parseDockerfile } from './dockerfile.ts';

const instructions = parseDockerfile(`
# A comment.
FROM a AS first
COPY one two ./
RUN x && \\
    y
FROM b
COPY --from=first /a /b
COPY --chown=node three/ three/
USER node
`);

describe('reading a Dockerfile', () => {
  it('joins continued lines and leaves comments out', () => {
    expect(instructions.map(({ name }) => name)).toEqual(['FROM', 'COPY', 'RUN', 'FROM', 'COPY', 'COPY', 'USER']);
    expect(instructions[2]?.words).toMatch(/^x &&\s+y$/);
  });

  it('knows what is copied from the build context', () => {
    expect(copiedFromContext(instructions)).toEqual(['one', 'two', 'three/']);
  });

  it('knows what belongs to the image itself', () => {
    expect(lastStage(instructions).at(-1)).toEqual({ name: 'USER', words: 'node' });
    expect(lastStage(instructions)).toHaveLength(4);
  });
});
