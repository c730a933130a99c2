import { Type } from 'typebox'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import type { Explanation } from '../../../sync/explain/explain.ts'
import { orNull, PlainTimestamp, strict, Uuid } from '../../schemas/schemas.ts'

const Scalar = orNull(Type.Union([Type.String(), Type.Number(), Type.Boolean()]))

const RawValue = strict(
  {
    path: Type.String({
      description: 'JSON Pointer within the record as the connector reads it from the raw page',
      examples: ['/Account/Type'],
    }),
    found: Type.String({ enum: ['value', 'absent', 'object', 'list'], description: '`object`, `list`: it was asked whether there is one' }),
    value: orNull(
      Type.Union([Type.String(), Type.Number(), Type.Boolean()], {
        description: 'As the source sent it; account numbers cut to their last four, secrets taken out, texts cut at 500 characters',
      }),
    ),
  },
  { title: 'RawValue' },
)

const Rule = strict(
  {
    kind: Type.String({ enum: ['constant', 'copied', 'masked', 'table', 'unknownWord', 'nothing', 'computed', 'engine'] }),
    text: Type.String({ examples: ['typeSystem table of xero: "BANK" → BANK'] }),
    code: orNull(Type.String({ description: 'The mapping function itself' })),
  },
  { title: 'MappingRule' },
)

export const ExplanationShape = strict(
  {
    id: Type.String({ format: 'uuid', description: 'Normalized id' }),
    origId: Type.String(),
    publishedOn: PlainTimestamp,
    replacedOn: orNull(Type.String({ description: 'When another version took its place; null for the current one' })),
    isDeleted: Type.Boolean(),
    connector: Type.String({ examples: ['xero'] }),
    mappingVersion: Type.Integer({ description: 'Of the mapping that gave this version of the record' }),
    run: strict(
      { id: Uuid, reason: orNull(Type.String()), startedOn: orNull(PlainTimestamp) },
      { description: 'The run that published it' },
    ),
    rawPage: orNull(
      strict({
        id: Uuid,
        index: Type.Integer({ description: 'Place of the record in the page, from 0' }),
        pull: orNull(Type.String()),
        receivedOn: orNull(PlainTimestamp),
        isKept: Type.Boolean({ description: 'False once the retention time of raw pages has passed' }),
      }),
    ),
    currentMapping: strict({
      version: Type.Integer(),
      gives: Type.String({
        enum: ['same', 'different', 'refused', 'unknown'],
        description: 'What the current mapping makes of the same raw record',
      }),
      reason: orNull(Type.String()),
    }),
    fields: Type.Array(
      strict({
        field: Type.String(),
        result: Scalar,
        rule: orNull(Rule),
        raw: Type.Array(RawValue),
        isSameNow: Type.Boolean(),
        resultNow: Scalar,
      }),
      { description: 'Every field of the published record, in its order; numbers of more than 15 digits as text' },
    ),
  },
  { title: 'Explanation' },
)

export function presentExplanation({ version, connector, rawPage, current, fields }: Explanation) {
  return {
    id: version.id,
    origId: version.origId,
    publishedOn: toPlainTimestamp(version.validFrom),
    replacedOn: version.validTo && toPlainTimestamp(version.validTo),
    isDeleted: version.deleted,
    connector,
    mappingVersion: version.mappingVersion,
    run: { id: version.runId, reason: version.runReason, startedOn: version.runStartedAt && toPlainTimestamp(version.runStartedAt) },
    rawPage: rawPage && {
      id: rawPage.id,
      index: rawPage.index,
      pull: rawPage.pull,
      receivedOn: rawPage.receivedAt && toPlainTimestamp(rawPage.receivedAt),
      isKept: rawPage.receivedAt !== null,
    },
    currentMapping: current,
    fields,
  }
}
