import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';

/** What is wrong with a value by the schema that a pointer leads to in a description, such as `/components/schemas/Error`; undefined: nothing. */
export type SchemaCheck = (pointer: string, value: unknown) => string | undefined;

/** Checks values by the schemas in the description of an interface; each is compiled when it is first needed. */
export function schemaChecks(document: object): SchemaCheck {
  // Formats of our own, such as `cron`, are the platform's to check.
  const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false });
  addFormats.default(ajv);
  ajv.addSchema(document, 'document');
  return (pointer, value) => {
    const check = ajv.getSchema(`document#${pointer}`);
    if (!check) return 'there is no schema for it';
    return check(value) ? undefined : ajv.errorsText(check.errors);
  };
}
