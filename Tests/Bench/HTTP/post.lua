-- What wrk sends: a request of 150 bytes as a POST.
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = '{"jsonrpc":"2.0","id":1,"method":"echo","params":{"query":"' .. string.rep("a", 150 - 62) .. '"}}'
