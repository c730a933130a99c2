import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Parse } from 'typebox/value'
import { PythonDocument, printEvents, printOperations } from './python-operations.ts'

/** Where the generated part of the Python SDK is, in the project. */
export const PYTHON_GENERATED = 'sdk/python/src/countinghouse/generated'
/** Python of the environment in which `.ci/run` installs datamodel-code-generator; a link to it is on the path. */
export const PYTHON_PROGRAM = 'sdk-python'

const OPTIONS = [
  '--input-file-type=openapi',
  '--output-model-type=typing.TypedDict',
  '--target-python-version=3.11',
  '--naming-strategy=parent-prefixed',
  '--enum-field-as-literal=all',
  '--use-standard-collections',
  '--use-union-operator',
  '--use-schema-description',
  '--use-field-description',
  '--disable-timestamp',
  '--formatters=builtin',
]

/**
 * Files of the generated part for an OpenAPI document, by path in `PYTHON_GENERATED`: the operations in both kinds, and
 * the models as datamodel-code-generator writes them.
 */
export async function generatePython(document: object): Promise<Map<string, string>> {
  const parsed = Parse(PythonDocument, document)
  return new Map([
    ['__init__.py', ''],
    ['async_operations.py', printOperations(parsed, { isAsync: true })],
    ['events.py', printEvents(parsed)],
    ['models.py', await generateModels(document)],
    ['operations.py', printOperations(parsed, { isAsync: false })],
  ])
}

async function generateModels(document: object): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sdk-python-'))
  try {
    const [input, output] = [join(folder, 'openapi.json'), join(folder, 'models.py')]
    // A later version of the API may answer with more fields.
    await writeFile(
      input,
      JSON.stringify(document, (key, value) => (key === 'additionalProperties' && value === false ? undefined : value)),
    )
    await promisify(execFile)(PYTHON_PROGRAM, ['-m', 'datamodel_code_generator', `--input=${input}`, `--output=${output}`, ...OPTIONS])
    return withExactNumbers(await readFile(output, 'utf8'))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The client reads numbers without loss. */
function withExactNumbers(text: string): string {
  const imports = 'from __future__ import annotations\n\n'
  if (!text.includes(imports)) throw new Error('datamodel-code-generator writes other imports than it did')
  return text
    .replace(imports, `${imports}from decimal import Decimal\n`)
    .replace(/\n\n\n?(?=\w+: TypeAlias|class )/, '\n\nNumber: TypeAlias = Decimal | int\n\n')
    .replace(/^ +(?:\w+|'[^']+'): .*$/gm, (line) => line.replace(/\bfloat\b/g, 'Number'))
}
