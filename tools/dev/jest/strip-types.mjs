/**
 * Tests run what services run: the source, of which Node takes the types away. Nothing moves by that, so that no source maps
 * are needed.
 */
import { createHash } from 'node:crypto';
import { stripTypeScriptTypes } from 'node:module';

export default {
  /** @param {string} source */
  process: (source) => ({ code: stripTypeScriptTypes(source) }),
  /** @param {string} source */
  getCacheKey: (source) => createHash('sha256').update(process.version).update(source).digest('hex'),
};
