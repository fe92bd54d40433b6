-- Neovim, 0.7 or newer, asks a language server for completions behind each letter.
--
--     nvim -u init.lua fetcher.py

local server = {
  name = 'pylsp',
  cmd = { 'lastword', 'wrap', '--', 'pylsp' },
  root_dir = vim.fn.getcwd(),
}

vim.opt.completeopt = { 'menuone', 'noinsert', 'noselect' }

local function complete_while_typing(buffer)
  vim.api.nvim_create_autocmd({ 'TextChangedI', 'TextChangedP' }, {
    buffer = buffer,
    callback = function()
      -- It asks, and shows what comes whenever it comes.
      vim.lsp.omnifunc(1, '')
    end,
  })
end

vim.api.nvim_create_autocmd('FileType', {
  pattern = 'python',
  callback = function(event)
    if vim.lsp.start then
      vim.lsp.start(server)
    else
      vim.lsp.buf_attach_client(event.buf, vim.lsp.start_client(server))
    end
    complete_while_typing(event.buf)
  end,
})
