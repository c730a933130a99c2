import { Text } from '@mantine/core'
import { Link } from 'wouter'
import { Page } from '../parts/layout/page.tsx'
import { useTexts } from '../texts/language/language.tsx'
import { common } from '../texts/pages/common.ts'
import { frameTexts } from '../texts/pages/frame.ts'

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
