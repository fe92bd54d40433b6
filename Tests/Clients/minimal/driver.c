// Drives examples/clients/c/lastword.c as Tests/Clients/minimal.py says.
#define _GNU_SOURCE
#include "lastword.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct json_object *ids;

static void outcome(struct lastword *gateway, const char *name) {
  struct json_object *answer = lastword_wait(gateway, json_object_get_int64(json_object_object_get(ids, name)));
  if (!answer) {
    printf("%s lost\n", name);
  } else if (lastword_code(answer)) {
    printf("%s error %lld%s%s\n", name, (long long)lastword_code(answer),
           lastword_is_unwanted(answer) ? " unwanted" : "", lastword_may_have_run(answer) ? " may-have-run" : "");
  } else {
    struct json_object *result = json_object_object_get(answer, "result");
    printf("%s result %s\n", name, json_object_get_string(json_object_object_get(result, "q")));
  }
  json_object_put(answer);
}

static int64_t ask(struct lastword *gateway, const char *key, const char *ms, const char *q) {
  struct json_object *params = json_object_new_object(), *task = json_object_new_object();
  json_object_object_add(params, "ms", json_object_new_int(atoi(ms)));
  json_object_object_add(params, "q", json_object_new_string(q));
  json_object_object_add(task, "key", json_object_new_string(key));
  return lastword_send(gateway, "sleep", params, task);
}

static struct lastword *connect_to(const char *host, const char *port) {
  const char *ca = getenv("LASTWORD_CA"), *token = getenv("LASTWORD_TOKEN"), *why = "nobody is there";
  struct lastword *gateway = ca ? lastword_connect_tls(host, port, ca, &why) : lastword_connect(host, port);
  int64_t code = gateway && token && *token ? lastword_authenticate(gateway, token) : 0;
  if (!gateway) fprintf(stderr, "error: %s\n", why);
  if (!code) return gateway;
  fprintf(stderr, "error: %lld\n", (long long)code);
  lastword_close(gateway);
  return NULL;
}

int main(int count, char **words) {
  struct lastword *gateway = count == 3 ? connect_to(words[1], words[2]) : NULL;
  if (!gateway) return 69;
  setvbuf(stdout, NULL, _IOLBF, 0);
  ids = json_object_new_object();
  char *line = NULL;
  for (size_t capacity = 0; getline(&line, &capacity, stdin) > 0;) {
    char *rest = line;
    line[strcspn(line, "\n")] = '\0';
    const char *command = strsep(&rest, " "), *name = strsep(&rest, " ");
    if (!strcmp(command, "ask")) {
      const char *key = strsep(&rest, " "), *ms = strsep(&rest, " ");
      json_object_object_add(ids, name, json_object_new_int64(ask(gateway, key, ms, rest)));
    } else if (!strcmp(command, "call")) {
      json_object_object_add(ids, name, json_object_new_int64(lastword_send(gateway, rest, NULL, NULL)));
    } else if (!strcmp(command, "cancel")) {
      lastword_cancel(gateway, json_object_get_int64(json_object_object_get(ids, name)));
    } else {
      outcome(gateway, name);
    }
  }
  free(line);
  json_object_put(ids);
  lastword_close(gateway);
  return 0;
}
