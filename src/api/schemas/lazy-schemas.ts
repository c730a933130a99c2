import { createRequire } from 'node:module'
import type { FastifySchema, FastifySchemaCompiler, FastifySerializerCompiler, FastifyServerOptions } from 'fastify'

type Validator = FastifySchemaCompiler<FastifySchema>
type Serializer = FastifySerializerCompiler<FastifySchema>

interface Compiling {
  setValidatorCompiler(compiler: Validator): unknown
  setSerializerCompiler(compiler: Serializer): unknown
}

const require = createRequire(import.meta.url)
const AJV = { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: true, allErrors: true } } as const

/** Server options for `compileSchemasLazily`: without them, Fastify loads its own compilers. */
export const noOwnCompilers: NonNullable<FastifyServerOptions['schemaController']> = {
  compilersFactory: { buildValidator: refuse, buildSerializer: refuse },
}

/**
 * Compiles each schema when a request first needs it, and loads the compilers only then: compiling all routes takes a
 * third of the start, and an idle process would keep the compiled code in memory.
 */
export function compileSchemasLazily(app: Compiling): void {
  app.setValidatorCompiler((route) => {
    const compiled = once(() => compileValidator()(route))
    const validate: ReturnType<Validator> = (data: unknown) => {
      const inner = compiled()
      const result = inner(data)
      validate.errors = inner.errors ?? null
      return result
    }
    return validate
  })
  app.setSerializerCompiler((route) => {
    const compiled = once(() => compileSerializer()(route))
    return (data) => compiled()(data)
  })
}

const compileValidator = once((): Validator => {
  const { AjvCompiler }: { AjvCompiler(): (externals: object, options: object) => Validator } = require('@fastify/ajv-compiler')
  return AjvCompiler()({}, AJV)
})

const compileSerializer = once((): Serializer => {
  const { SerializerSelector }: { SerializerSelector(): (externals: object, options: object) => Serializer } =
    require('@fastify/fast-json-stringify-compiler')
  return SerializerSelector()({}, {})
})

function refuse(): never {
  throw new Error('compileSchemasLazily was not called')
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
