# Completion of toolscout for PowerShell 7.3 and later (earlier ones drop empty arguments). Load it with
#     toolscout completion powershell | Out-String | Invoke-Expression

Register-ArgumentCompleter -Native -CommandName toolscout -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $before = @($commandAst.CommandElements |
        Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
        ForEach-Object { $_.Extent.Text })
    toolscout __complete -- @before "$wordToComplete" 2>$null | ForEach-Object {
        $value, $help = $_ -split "`t", 2
        if (-not $help) { $help = $value }
        [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $help)
    }
}
