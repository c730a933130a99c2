import { Alert, Button, Group, Text } from '@mantine/core'
import { Component, type ReactNode } from 'react'
import { useTexts } from '../../texts/language/language.tsx'
import { common } from '../../texts/pages/common.ts'
import { Page } from '../page.tsx'

interface BoundaryProps {
  /** Address of what is inside: another one is tried anew. */
  at?: string
  children: ReactNode
}

/** Says that a page cannot be shown, such as one whose file could not be loaded, and offers to reload; what is around it stays. */
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
