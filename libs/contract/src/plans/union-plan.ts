import { isInputObject } from '../validation/input-value.ts';
import { notAnObject, Problem } from '../validation/problem.ts';
import { pythonRepr } from '../validation/python-repr.ts';
import { refused, type FieldPlan, type InputPlan } from './input-plan.ts';
import { lengthDelimited } from './wire.ts';

/** A JSON object that is one of several messages, by the text under its discriminator. */
export function unionPlan(members: ReadonlyMap<string, FieldPlan>, discriminator: string): InputPlan {
  const secrets = [...members.values()].some(({ value }) => value.holdsSecrets) ? 'everything' : undefined;
  const quotedName = `'${discriminator}'`;
  const recorded = [...members].filter(([, { rules }]) => !rules.unrecorded);
  const expected = recorded.map(([name]) => `'${name}'`).join(', ');
  const noTag = tagNotFound(discriminator);
  const unknownTag = (name: string): Problem =>
    new Problem(
      'union_tag_invalid',
      `Input tag '${name}' found using ${quotedName} does not match any of the expected tags: ${expected}`,
      { discriminator: quotedName, tag: name, expected_tags: expected },
    );
  return {
    read: (value, findings, loc) => {
      if (!isInputObject(value)) {
        findings?.add(notAnObject, loc, value, secrets);
        return refused;
      }
      if (!Object.hasOwn(value, discriminator)) {
        findings?.add(noTag, loc, value, secrets);
        return refused;
      }
      const name = value[discriminator];
      const member = typeof name === 'string' ? members.get(name) : undefined;
      if (!member) {
        const shown = typeof name === 'string' ? name : pythonRepr(name ?? null);
        findings?.add(unknownTag(shown), loc, value, secrets);
        return refused;
      }
      findings?.noteTag(value, discriminator);
      const content = member.value.read(value, findings, findings ? [...loc, name as string] : loc);
      return content === refused ? refused : [member, content];
    },
    write: (writer, chosen) => {
      const [member, content] = chosen as [FieldPlan, unknown];
      member.write(writer, content);
    },
    wireType: lengthDelimited,
    isDefault: () => false,
    holdsSecrets: secrets !== undefined,
  };
}

export function tagNotFound(discriminator: string): Problem {
  const quotedName = `'${discriminator}'`;
  return new Problem('union_tag_not_found', `Unable to extract tag using discriminator ${quotedName}`, {
    discriminator: quotedName,
  });
}
