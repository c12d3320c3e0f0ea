import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@platform-backend/core/logger';
import { ToolRefusal } from './language-model.ts';

describe('what a tool says of its failure', () => {
  it('is for the model, and not for the log', () => {
    const refusal = new ToolRefusal('It answered with status 500: x-key=hunter2');
    expect(refusal.forModel).toContain('hunter2');
    const lines: string[] = [];
    const logger = createLogger({
      service: 's',
      level: 'info',
      destination: { write: (line: string) => void lines.push(line) },
    });
    logger.warn({ err: refusal }, 'a tool failed');
    expect(lines.join('')).toContain('a tool says that it has failed');
    expect(lines.join('')).not.toContain('hunter2');
  });
});
