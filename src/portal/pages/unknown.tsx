import { Text } from '@mantine/core'
import { Link } from 'wouter'
import { Page } from '../parts/page.tsx'
import { common } from '../texts/common.ts'
import { frameTexts } from '../texts/frame.ts'
import { useTexts } from '../texts/language.tsx'

export function UnknownPage() {
  const texts = useTexts(common)
  const frame = useTexts(frameTexts)
  return (
    <Page title={texts.problem.missing} lead={texts.problem.missingHint}>
      <Text>
        <Link href="/companies">{frame.companies}</Link>
      </Text>
    </Page>
  )
}
