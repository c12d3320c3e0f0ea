import type protobuf from 'protobufjs';
import type { Writer } from 'protobufjs';
import { fieldPlan } from '../plans/field-plan.ts';
import { refused, type FieldPlan } from '../plans/input-plan.ts';
import type { FieldValues } from '../plans/object-plan.ts';
import type { PlanContext } from '../plans/scalar-plan.ts';
import { lengthDelimited, tag } from '../plans/wire.ts';
import type { Findings } from '../validation/findings.ts';
import { missing, Problem, valueError } from '../validation/problem.ts';
import { decodedBody, type BodyReader } from './body-reader.ts';
import { FormError, type Form, type FormFile } from './form.ts';
import { parseForm } from './parse-form.ts';
import { headerOf } from './request-parts.ts';

/** A field that a form fills: a file, or the text of an ordinary field. */
export interface FormFieldReader {
  /** The name of the form's part. */
  readonly part: string;
  readonly isRequired: boolean;
  readonly defaultValue: unknown;
  readonly read: (value: string | FormFile, findings: Findings | undefined, loc: readonly string[]) => unknown;
  readonly write: (writer: Writer, value: unknown) => void;
}

interface OpenedForm {
  readonly form: Form;
  /** Names in it that no field has. */
  readonly others: ReadonlySet<string>;
}

/** A body in one of the two encodings of HTML forms. */
export function formBodyReader(fields: readonly FormFieldReader[]): BodyReader {
  const names = new Set(fields.map(({ part }) => part));
  return {
    open: (request) => {
      try {
        const { form, body = Buffer.alloc(0) } = request;
        const others = new Set(form && [...form.keys()].filter((name) => !names.has(name)));
        const opened: OpenedForm = {
          form: form ?? parseForm(body, headerOf(request, 'content-type'), names, others),
          others,
        };
        return decodedBody(opened);
      } catch (error) {
        if (error instanceof FormError) return { ok: false, status: 400, detail: error.message };
        throw error;
      }
    },
    read: (opened, findings) => {
      const { form, others } = opened as OpenedForm;
      const values = fields.map((field) => readField(field, form, findings));
      if (findings?.isStrict) findings.addUnknown(namesOf(others), [...names], ['body']);
      return values.includes(refused) ? refused : values;
    },
    write: (writer, values) => {
      for (const [at, field] of fields.entries()) {
        const value = (values as FieldValues)[at];
        if (value !== undefined) field.write(writer, value);
      }
    },
  };
}

/** But for those of lists in OpenAI's forms (`timestamp_granularities[]`), as no field of a contract can have. */
const namesOf = (others: ReadonlySet<string>): Readonly<Record<string, null>> =>
  Object.fromEntries([...others].filter((name) => !name.endsWith(']')).map((name) => [name, null]));

function readField(field: FormFieldReader, form: Form, findings: Findings | undefined): unknown {
  const value = form.get(field.part);
  const loc = ['body', field.part];
  // An HTML form sends an empty text for what was not filled in.
  if (value !== undefined && value !== '') return field.read(value, findings, loc);
  if (!field.isRequired) return field.defaultValue;
  findings?.add(missing, loc, null);
  return refused;
}

const textInsteadOfFile = valueError("Expected UploadFile, received: <class 'str'>");

/** A file part; its field is a message with `filename`, `content_type` and `content`. */
export function filePart(
  field: protobuf.Field,
  part: string,
  isRequired: boolean,
  context: PlanContext,
): FormFieldReader {
  const type = field.resolvedType;
  const [filenameField, contentTypeField, content] = ['filename', 'content_type', 'content'].map((name) => {
    const inner = type && 'fields' in type ? type.fields[name] : undefined;
    if (!inner) throw new Error(`${field.fullName.slice(1)}: the message of a file part needs a field ${name}`);
    return inner;
  }) as [protobuf.Field, protobuf.Field, protobuf.Field];
  const filename = fieldPlan(filenameField, context);
  const contentType = fieldPlan(contentTypeField, context);
  const contentKey = tag(content.id, lengthDelimited);
  return {
    part,
    isRequired,
    defaultValue: undefined,
    read: (value, findings, loc) => {
      if (typeof value === 'string') {
        findings?.add(textInsteadOfFile, loc, value);
        return refused;
      }
      const texts = [
        filename.value.read(value.filename, findings, [...loc, filename.name]),
        contentType.value.read(value.contentType, findings, [...loc, contentType.name]),
      ];
      return texts.includes(refused) ? refused : value;
    },
    write: (writer, value) => {
      const file = value as FormFile;
      writer.uint32(tag(field.id, lengthDelimited)).fork();
      filename.write(writer, file.filename);
      contentType.write(writer, file.contentType);
      writer.uint32(contentKey).bytes(file.content);
      writer.ldelim();
    },
  };
}

const fileInsteadOfText = new Problem('string_type', 'Input should be a valid string');

/** An ordinary field of a form that also has files. */
export function textPart(field: FieldPlan): FormFieldReader {
  return {
    part: field.name,
    isRequired: field.rules.required,
    defaultValue: field.defaultValue,
    read: (value, findings, loc) => {
      if (typeof value === 'string') return field.value.read(value, findings, loc);
      findings?.add(fileInsteadOfText, loc, null);
      return refused;
    },
    write: field.write,
  };
}
