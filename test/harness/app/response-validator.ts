import type { ValidateFunction } from 'ajv/dist/2020.js'
import { type ApiDocument, type DocumentedOperation, findAnswer, schemaValidator, toContent } from '../test-answers.ts'

export interface Answer {
  statusCode: number
  headers: Record<string, unknown>
  payload: string
}

export interface Operation {
  path: string
  method: string
  operation: DocumentedOperation
}

/** Validates responses against the OpenAPI document, with a third-party validator. */
export class ResponseValidator {
  readonly #document: ApiDocument
  readonly operations: readonly Operation[]
  readonly #validators = new Map<string, ValidateFunction>()
  /** Ids of the operations with a successful response. */
  readonly succeeded = new Set<string>()

  constructor(document: ApiDocument) {
    this.#document = document
    this.operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
    )
  }

  /** Throws if a response differs from the document. `url` is relative to the API's current version. */
  check(method: string, url: string, answer: Answer): void {
    const operation = this.#find(method, `/admin/api/v1${url.split('?')[0]}`)
    if (!operation) throw new Error(`${method} ${url.split('?')[0]} is not in the document`)
    const fault = this.fault(operation.operationId, answer)
    if (fault) throw new Error(fault)
  }

  /** Validation error of a response, or null. */
  fault(operationId: string, answer: Answer): string | null {
    const { statusCode } = answer
    if (statusCode >= 200 && statusCode < 300) this.succeeded.add(operationId)
    // The conditional response of RFC 9110, valid for any read.
    if (statusCode === 304) return answer.payload === '' ? null : 'a 304 with a body'
    const found = findAnswer(this.#document, operationId, answer)
    if (typeof found === 'string') return `${found}: ${answer.payload.slice(0, 200)}`
    if (found === null) return null
    const validate = this.#validator(`${operationId} ${statusCode} ${answer.headers['content-type']}`, found)
    if (validate(toContent(answer.headers, answer.payload))) return null
    return `${operationId} ${statusCode}: ${JSON.stringify(validate.errors?.[0])}`
  }

  #find(method: string, url: string): DocumentedOperation | undefined {
    const fits = (path: string) => new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]+')}$`).test(url)
    const found = this.operations.filter((one) => one.method === method && fits(one.path))
    return (found.find((one) => one.path === url) ?? found[0])?.operation
  }

  #validator(name: string, schema: object): ValidateFunction {
    const known = this.#validators.get(name)
    if (known) return known
    const validator = schemaValidator().compile({ ...schema, components: this.#document.components })
    this.#validators.set(name, validator)
    return validator
  }
}
