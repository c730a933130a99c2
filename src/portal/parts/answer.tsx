import { Skeleton } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Problem } from '../api/problem.ts'
import { common } from '../texts/common.ts'
import { useTexts } from '../texts/language.tsx'
import { Page } from './page.tsx'
import { ProblemBox } from './problem-box.tsx'

interface AnswerProps<Data> {
  read: UseQueryResult<Data, Problem>
  /** How many lines the answer will take, so that nothing jumps when it is there. */
  lines?: number
  /** What else has to be there, so that nothing moves when it comes. */
  beside?: readonly { isPending: boolean }[]
  children(data: Data): ReactNode
}

/** Shows what a read gave, that it is under way, or why it failed. */
export function Answer<Data>({ read, lines = 4, beside = [], children }: AnswerProps<Data>) {
  const problem = read.error && <ProblemBox problem={read.error} retry={() => void read.refetch()} />
  if (read.data !== undefined && !beside.some(({ isPending }) => isPending)) {
    return (
      <>
        {problem}
        {children(read.data)}
      </>
    )
  }
  if (problem) return problem
  return <Waiting lines={lines} />
}

/** In the place of what is still being read. */
export function Waiting({ lines }: { lines: number }) {
  const texts = useTexts(common)
  return (
    <output className="waiting" aria-label={texts.loading}>
      {Array.from({ length: lines }, (_, line) => `line ${line}`).map((line) => (
        <Skeleton key={line} height={34} mb={8} />
      ))}
    </output>
  )
}

/** The same where the answer is what the page is about: until it is there, the page has no heading of its own. */
export function PageAnswer<Data>({ read, beside = [], children }: Pick<AnswerProps<Data>, 'read' | 'beside' | 'children'>) {
  const texts = useTexts(common)
  if (read.data !== undefined && !beside.some(({ isPending }) => isPending)) return <>{children(read.data)}</>
  if (read.error) {
    return (
      <Page title={texts.problem.page}>
        <ProblemBox problem={read.error} retry={() => void read.refetch()} />
      </Page>
    )
  }
  return (
    <div className="page">
      <Waiting lines={8} />
    </div>
  )
}
