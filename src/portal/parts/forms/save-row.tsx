import { Button, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Problem } from '../../api/problem.ts'
import { useTexts } from '../../texts/language/language.tsx'
import { common } from '../../texts/pages/common.ts'
import { ProblemBox } from '../answers/problem-box.tsx'
import type { Saved } from './save-state.ts'

interface SaveRowProps {
  change: { isPending: boolean; error: Problem | null }
  saved: Saved
  /** Shown once the whole form is saved. */
  done: string
  /** Other buttons, after the one that saves. */
  children?: ReactNode
}

/** End of a form that stays on the page: why a save failed, the button, and whether what is shown is saved. */
export function SaveRow({ change, saved, done, children }: SaveRowProps) {
  const texts = useTexts(common)
  return (
    <>
      {change.error && <ProblemBox problem={change.error} />}
      <Group mt="md">
        <Button type="submit" loading={change.isPending}>
          {texts.save}
        </Button>
        {children}
        <Text component="output" size="sm">
          {saved === 'all' ? done : saved && texts.notWhatCameSince}
        </Text>
      </Group>
    </>
  )
}
