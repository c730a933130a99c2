import { existsSync } from 'node:fs'
import type { ConnectorDescription } from '../../src/connectors/contract/contract.ts'
import { connectors, exampleConnectors } from '../../src/connectors/registry.ts'
import type { RedirectSubject } from './redirect-subject.ts'
import type { Source } from './run.ts'
import type { Inapplicable, Subject, UploadSubject } from './subject.ts'

/** A connector with its subject. */
export interface ConformanceSubject<S = Subject> extends Source {
  subject: S
}

export function subjectFile(key: string): URL {
  return new URL(`subjects/${key}.ts`, import.meta.url)
}

/** Subjects of sources called over HTTP. `registry.test.ts` fails for a connector without a subject. */
export const httpSubjects = await loadSubjects<Subject>([...connectors, ...exampleConnectors].filter(({ link }) => link !== 'upload'))

/** Subjects of sources with uploaded files. */
export const uploadSubjects = await loadSubjects<UploadSubject>(connectors.filter(({ link }) => link === 'upload'))

/** Subjects of sources whose owner returns with an authorization code. */
export const redirectSubjects: readonly (ConformanceSubject<RedirectSubject> & Required<Pick<Subject, 'readFaults'>>)[] =
  httpSubjects.flatMap(({ subject, ...source }) =>
    subject.redirect === undefined || isInapplicable(subject.redirect)
      ? []
      : [{ ...source, subject: subject.redirect, readFaults: subject.readFaults ?? {} }],
  )

export function isInapplicable(value: unknown): value is Inapplicable {
  return typeof value === 'object' && value !== null && 'because' in value
}

async function loadSubjects<S>(descriptions: readonly ConnectorDescription[]): Promise<readonly ConformanceSubject<S>[]> {
  const known = descriptions.filter(({ key }) => existsSync(subjectFile(key)))
  return await Promise.all(
    known.map(async (description) => {
      const { subject } = (await import(subjectFile(description.key).href)) as { subject: S }
      return { description, connector: await description.load(), subject }
    }),
  )
}
