import { Text } from '@mantine/core'
import type { McpAccess } from '../../api/generated/types.ts'
import { useChange, useRead } from '../../api/reads.ts'
import { Answer } from '../../parts/answers/answer.tsx'
import { Confirm } from '../../parts/dialogs/confirm.tsx'
import { Section } from '../../parts/layout/page.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { apiKeyTexts } from '../../texts/pages/api-keys.ts'

/** Whether assistants may read the instance's data with an API key. */
export function McpAccessSection() {
  const texts = useTexts(apiKeyTexts)
  const access = useRead<McpAccess>('/instance/mcp-access')
  const change = useChange<boolean>((isEnabled) => ({ method: 'PUT', path: '/instance/mcp-access', body: { isEnabled } }))
  return (
    <Section title={texts.mcpTitle}>
      <Answer read={access} lines={2}>
        {({ isEnabled }) => (
          <>
            <Text mb="sm" maw={640}>
              {isEnabled ? texts.mcpOn : texts.mcpOff} {texts.mcpScopes}
            </Text>
            {isEnabled && (
              <Text mb="sm" maw={640}>
                {texts.mcpAddress} <code>{`${location.origin}/mcp`}</code>
              </Text>
            )}
            <Confirm
              label={isEnabled ? texts.mcpTurnOff : texts.mcpTurnOn}
              title={isEnabled ? texts.mcpTurnOff : texts.mcpTurnOn}
              question={isEnabled ? texts.mcpTurnOffQuestion : texts.mcpTurnOnQuestion}
              {...change.toConfirm(!isEnabled)}
            />
          </>
        )}
      </Answer>
    </Section>
  )
}
