import { Alert, Button, Group, Text } from '@mantine/core'
import { Component, type ReactNode } from 'react'
import { useTexts } from '../../texts/language/language.tsx'
import { common } from '../../texts/pages/common.ts'
import { Page } from '../layout/page.tsx'

interface BoundaryProps {
  /** Address of the content; the boundary is reset when it changes. */
  at?: string
  children: ReactNode
}

/**
 * Error boundary: shows that a page could not be shown, for example because its file could not be loaded, and offers to
 * reload; the surroundings stay.
 */
export class Boundary extends Component<BoundaryProps, { hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override componentDidUpdate({ at }: BoundaryProps) {
    if (this.state.hasFailed && at !== this.props.at) this.setState({ hasFailed: false })
  }

  override render() {
    return this.state.hasFailed ? <NotShown /> : this.props.children
  }
}

function NotShown() {
  const texts = useTexts(common)
  return (
    <Page title={texts.problem.page}>
      <Alert color="red" variant="outline" role="alert" className="problem">
        <Text size="sm">{texts.problem.pageHint}</Text>
        <Group mt="xs">
          <Button size="xs" variant="default" onClick={() => location.reload()}>
            {texts.reload}
          </Button>
        </Group>
      </Alert>
    </Page>
  )
}
