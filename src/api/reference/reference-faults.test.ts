import { expect, it } from 'vitest'
import { addFaults } from './reference-faults.ts'
import type { ReferenceDocument } from './reference-schema.ts'

const STATUSES = ['400', '401', '403', '404', '409', '410', '412', '416', '422', '426', '429']

/** A document with one operation, whose description mentions these statuses. */
const document = (description: string) => {
  const operation = { operationId: 'getThing', summary: 'Get a thing', description, tags: ['Things'] }
  const given: ReferenceDocument = {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1' },
    servers: [{ url: '/' }],
    paths: { '/things/{id}': { get: { ...operation, responses: { '200': { description: 'A thing' } } } } },
    webhooks: {},
    security: [],
    components: {},
  }
  const { paths, components } = addFaults(given)
  return { responses: paths['/things/{id}']?.get?.responses ?? {}, described: components.responses ?? {} }
}
const described = (text: RegExp) => expect.objectContaining({ description: expect.stringMatching(text) })

it('each status has a name, under which the document describes it', () => {
  const found = document(STATUSES.join(' or '))
  const names = ['BadRequest', 'Unauthorized', 'Forbidden', 'NotFound', 'Conflict', 'Gone', 'PreconditionFailed']
  names.push('RangeNotSatisfiable', 'Refused', 'UpgradeRequired', 'TooManyRequests', 'OtherProblem')
  expect(found.responses).toEqual({
    '200': { description: 'A thing' },
    ...Object.fromEntries([...STATUSES, 'default'].map((status, at) => [status, { $ref: `#/components/responses/${names[at]}` }])),
  })
  expect(found.described).toEqual(Object.fromEntries(names.map((name) => [name, described(/^[A-Z4].{10}/)])))
})

it('what each operation may answer besides is described by status', () => {
  const statuses = ['401', '403', '408', '409, 412, 422', '413', '415', '429', '431', '500', '503']
  expect(document('').described).toHaveProperty('OtherProblem', described(new RegExp(statuses.map((status) => `${status}: .*`).join(''))))
})

it('an operation has the statuses that its path and description name, once', () => {
  const found = document('409 where it exists, 409 again; 418 is none')
  expect(Object.keys(found.responses)).toEqual(['200', '400', '404', '409', 'default'])
  expect(Object.keys(found.described)).toEqual(['BadRequest', 'NotFound', 'Conflict', 'OtherProblem'])
})
