/**
 * Node as tests see it. A test reads from `TEST_LONG` whether it is run in its long form; the run says of which files that is
 * so: of all (`all`), or of those in some folders, by commas.
 */
import { TestEnvironment } from 'jest-environment-node';
import { relative } from 'node:path';

export default class extends TestEnvironment {
  /**
   * @param {ConstructorParameters<typeof TestEnvironment>[0]} config
   * @param {ConstructorParameters<typeof TestEnvironment>[1]} context
   */
  constructor(config, context) {
    super(config, context);
    const { TEST_LONG: long = '' } = process.env;
    const file = relative(config.projectConfig.rootDir, context.testPath);
    const isLong = long === 'all' || long.split(',').some((folder) => folder !== '' && file.startsWith(`${folder}/`));
    this.global.process.env['TEST_LONG'] = isLong ? '1' : '';
  }
}
